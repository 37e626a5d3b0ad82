import Encodings
import Foundation
import GameCore
import Simulation

/// An entry of the simulator's log, as far as a verdict goes by it.
struct WitnessedPush: Decodable, Sendable {
    /// 1 and up, without gaps.
    let number: Int
    let time: Timestamp
    /// Whose token it was; nil when it was nobody's, or a phone's.
    let activityID: ActivityID?
    let phoneID: UUID?
    /// Nil when the request was refused before it was read.
    let priority: Int?
    let apnsID: String
    /// How the token begins; nil when there was none.
    let tokenStart: String?
    /// Nil when a fault kept APNs from giving any.
    let status: Int?
    /// What the phone made of it; nil when it was refused.
    let reaction: String?
    /// What went wrong on demand; nil when nothing did.
    let fault: String?
    let payload: String

    private enum CodingKeys: CodingKey {
        case number, time, activityID, phoneID, priority, apnsID, tokenStart, status, reaction, fault, payload
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        number = try container.decode(Int.self, forKey: .number)
        let moment = try container.decode(String.self, forKey: .time)
        guard let time = Timestamp(rfc3339: moment) else {
            throw DecodingError.dataCorruptedError(
                forKey: .time,
                in: container,
                debugDescription: "'\(moment)' is not a time in RFC 3339"
            )
        }
        self.time = time
        activityID = try container.decodeIfPresent(ActivityID.self, forKey: .activityID)
        phoneID = try container.decodeIfPresent(UUID.self, forKey: .phoneID)
        priority = try container.decodeIfPresent(Int.self, forKey: .priority)
        apnsID = try container.decode(String.self, forKey: .apnsID)
        tokenStart = try container.decodeIfPresent(String.self, forKey: .tokenStart)
        status = try container.decodeIfPresent(Int.self, forKey: .status)
        reaction = try container.decodeIfPresent(String.self, forKey: .reaction)
        fault = try container.decodeIfPresent(String.self, forKey: .fault)
        payload = try container.decode(String.self, forKey: .payload)
    }

    /// Whether APNs took it, whether or not the sender heard of that.
    var isAccepted: Bool { status == 200 }

    /// Whether the phone took it.
    var isShown: Bool { reaction == "shown" }

    /// Whether it is one to an activity, or to a token that never was one; starts and what strangers send are not.
    var concernsActivities: Bool { activityID != nil || (priority != nil && phoneID == nil && tokenStart != nil) }

    /// The push as the checks look at it; nil without a readable identifier.
    var record: PushRecord? {
        guard let id = UUID(text: apnsID) else { return nil }
        let outcome: PushRecord.Outcome =
            switch status {
            case nil: .inFlight
            case 200?: .accepted
            case 410?: .deadToken
            case _?: .rejected
            }
        var record = PushRecord(
            activity: nil,
            token: tokenStart ?? "",
            node: "",
            id: id,
            payload: Array(payload.utf8),
            // The simulator's clock tells milliseconds, and what is pushed was committed before.
            writtenAt: time.microseconds + 999,
            outcome: outcome
        )
        // Whoever waits for an answer that is late or lost does not know.
        if fault != nil { record.responseReceivedAt = nil }
        return record
    }
}

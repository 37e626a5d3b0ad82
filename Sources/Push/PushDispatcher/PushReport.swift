import APNsClient
import Foundation
public import GameStore

/// One push as it went out and what came of it, for people and for programs: JSON in camelCase.
///
/// The provider token is not in it, and of the device token only its first digits.
public struct PushReport: Encodable, Sendable {
    /// One header field of the request.
    public struct Header: Encodable, Sendable, Equatable {
        /// In lower case.
        public let name: String
        /// As it went out, but for secrets.
        public let value: String
    }

    /// How the push went.
    public enum Answer: String, Encodable, Sendable {
        /// APNs has taken it.
        case accepted
        /// APNs has refused it.
        case refused
        /// It was sent, and nobody knows what became of it.
        case unknown
        /// It was not sent.
        case neverSent
    }

    /// Which APNs.
    public let environment: PushEnvironment
    /// The host that it went to.
    public let host: String
    /// The port that it went to.
    public let port: Int
    /// Method and path.
    public let request: String
    /// In the order of the request.
    public let headers: [Header]
    /// The JSON, as it went out.
    public let payload: String
    /// How many bytes that is; APNs takes 4,096.
    public let payloadBytes: Int
    /// How it went.
    public let answer: Answer
    /// The status of APNs' answer, nil without one.
    public let status: Int?
    /// The reason of a refusal in APNs' own words.
    public let reason: String?
    /// `apns-unique-id`, which the development environment gives, and by which Apple's console finds the push.
    public let apnsUniqueID: String?
    /// What the answer means: one sentence.
    public let meaning: String
    /// What to do.
    public let remedy: String

    /// One JSON object.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            preconditionFailure("texts and numbers always encode: \(error)")
        }
    }

    /// What is to be told of a push.
    init(
        of push: APNsPush,
        to address: (host: String, port: Int),
        in environment: PushEnvironment,
        _ outcome: APNsOutcome
    ) {
        self.environment = environment
        (host, port) = address
        request = "POST /3/device/\(push.deviceToken)"
        headers = push.redactedHeaders.map { Header(name: $0.name, value: $0.value) }
        payload = String(decoding: push.payload, as: UTF8.self)
        payloadBytes = push.payload.count
        var uniqueID: String?
        switch outcome {
        case .accepted(_, let id):
            (answer, status, reason) = (.accepted, 200, nil)
            uniqueID = id
        case .rejected(let refusal):
            (answer, status, reason) = (.refused, refusal.status, refusal.reason.text)
        case .unknown: (answer, status, reason) = (.unknown, nil, nil)
        case .neverSent: (answer, status, reason) = (.neverSent, nil, nil)
        }
        apnsUniqueID = uniqueID
        meaning = outcome.advice.meaning
        remedy = outcome.advice.remedy
    }
}

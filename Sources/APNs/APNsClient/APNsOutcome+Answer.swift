import Encodings
import Foundation
import HTTP2Transport

extension APNsOutcome {
    /// What an answer to the push or broadcast of that id means, at that time in seconds since 1970.
    init(_ answer: APNsAnswer, to id: UUID, at now: Int64) {
        switch answer {
        case .outcome(.response(let response)) where response.status == 200:
            // APNs echoes the id that it was given: of a push under one name, of a broadcast under another.
            let text = response.headers["apns-id"] ?? response.headers["apns-request-id"]
            let apnsID = text.flatMap { UUID(text: $0) } ?? id
            self = .accepted(apnsID: apnsID, uniqueID: response.headers["apns-unique-id"])
        case .outcome(.response(let response)):
            self = .rejected(APNsRejection(response, at: now))
        case .outcome(.neverProcessed(let failure)):
            self = .neverSent(APNsFailure(failure))
        case .outcome(.unknown(let failure)):
            self = .unknown(APNsFailure(failure))
        case .noToken(let error):
            self = .neverSent(.providerToken(error.description))
        }
    }
}

extension APNsRejection {
    /// The body of a refusal, and the debug data of a GOAWAY (Apple, "Handling notification responses from APNs").
    ///
    /// Each member is read for itself: one that is not as documented must not cost the other.
    fileprivate struct Body: Decodable {
        let reason: String?
        /// Milliseconds since 1970, with 410 only.
        let timestamp: Int64?

        /// Nil for what is not Apple's JSON, perhaps a proxy's.
        init?(_ json: some Sequence<UInt8>) {
            guard let body = try? JSONDecoder().decode(Self.self, from: Data(json)) else { return nil }
            self = body
        }

        private enum CodingKeys: CodingKey {
            case reason
            case timestamp
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // What is of another type is as good as missing.
            reason = try? container.decode(String.self, forKey: .reason)
            // Exact for whole milliseconds up to 2^53, and also takes a number with a fraction.
            let milliseconds = try? container.decode(Double.self, forKey: .timestamp)
            timestamp = milliseconds.flatMap { Int64(exactly: $0.rounded(.down)) }
        }
    }

    /// No answer makes a sender wait longer: a proxy's mistake would silence it otherwise.
    private static let longestRetryAfterSeconds = 3600

    /// What an answer says that came at that time, in seconds since 1970.
    init(_ response: HTTP2Response, at now: Int64) {
        // An answer without one still has its status.
        let body = Body(response.body)
        self.init(
            status: response.status,
            reason: APNsReason(body?.reason ?? ""),
            tokenInvalidSinceMilliseconds: body?.timestamp,
            retryAfterSeconds: Self.retryAfterSeconds(of: response, at: now)
        )
    }

    /// `Retry-After` in seconds, or as a date (RFC 9110, section 10.2.3).
    ///
    /// A date counts from the answer's own `Date`, if it has one, so that a clock that differs changes nothing.
    private static func retryAfterSeconds(of response: HTTP2Response, at now: Int64) -> Int? {
        guard let text = response.headers["retry-after"] else { return nil }
        let sentAt = response.headers["date"].flatMap { HTTPDate($0)?.epochSeconds } ?? now
        let seconds = Int(text) ?? HTTPDate(text).map { Int($0.epochSeconds - sentAt) }
        return seconds.map { min(max($0, 0), longestRetryAfterSeconds) }
    }
}

extension APNsFailure {
    init(_ failure: HTTP2Failure) {
        switch failure {
        case .timedOut: self = .timedOut
        case .reset(let errorCode): self = .streamEnded(errorCode: errorCode)
        case .connection(.goAway(let errorCode, let debugData)):
            self = .goAway(APNsReason(APNsRejection.Body(debugData.utf8)?.reason ?? ""), errorCode: errorCode)
        case .connection(let end): self = .connection(end.description)
        case .tooLate: self = .tooLate
        case .shutDown: self = .shuttingDown
        }
    }
}

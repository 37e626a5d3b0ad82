import Encodings
import Foundation
import HTTP2Transport

extension APNsOutcome {
    /// Creates the outcome of a push or broadcast from its result.
    /// - Parameters:
    ///   - result: the result.
    ///   - id: the id of the push or broadcast.
    ///   - now: the time in seconds since 1970.
    init(_ result: APNsSendResult, for id: UUID, at now: Int64) {
        switch result {
        case .outcome(.response(let response)) where response.status == 200:
            // APNs echoes the id, with different names for pushes and broadcasts.
            let apnsID =
                response.headers.withValue(of: "apns-id") { UUID(text: $0) }
                ?? response.headers.withValue(of: "apns-request-id") { UUID(text: $0) }
            self = .accepted(apnsID: apnsID ?? id, uniqueID: response.headers["apns-unique-id"])
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
    /// The body of a rejection, and the debug data of a GOAWAY (Apple, "Handling notification responses from APNs").
    ///
    /// The members are decoded independently: an invalid one must not affect the other.
    fileprivate struct Body: Decodable {
        let reason: String?
        /// Milliseconds since 1970, with status 410 only.
        let timestamp: Int64?

        /// Decodes a body, or returns nil if it is not Apple's JSON, for example the body of a proxy.
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
            // A value of another type counts as missing.
            reason = try? container.decode(String.self, forKey: .reason)
            // Accepts a fraction, and is exact for whole milliseconds up to 2^53.
            let milliseconds = try? container.decode(Double.self, forKey: .timestamp)
            timestamp = milliseconds.flatMap { Int64(exactly: $0.rounded(.down)) }
        }
    }

    /// The limit of `Retry-After`, in case a proxy sends an excessive value.
    private static let maxRetryAfterSeconds = 3600

    /// Creates a rejection from a response that arrived at `now`, in seconds since 1970.
    init(_ response: HTTP2Response, at now: Int64) {
        // Without a valid body the status remains.
        let body = Body(response.body)
        self.init(
            status: response.status,
            reason: APNsReason(body?.reason ?? ""),
            tokenInvalidSinceMilliseconds: body?.timestamp,
            retryAfterSeconds: Self.retryAfterSeconds(of: response, at: now)
        )
    }

    /// Returns `Retry-After`, a number of seconds or a date (RFC 9110, section 10.2.3).
    ///
    /// A date is compared with the response's `Date`, if present, so that this machine's clock does not matter.
    private static func retryAfterSeconds(of response: HTTP2Response, at now: Int64) -> Int? {
        guard let text = response.headers["retry-after"] else { return nil }
        let sentAt = response.headers["date"].flatMap { HTTPDate($0)?.epochSeconds } ?? now
        let seconds = Int(text) ?? HTTPDate(text).map { Int($0.epochSeconds - sentAt) }
        return seconds.map { min(max($0, 0), maxRetryAfterSeconds) }
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

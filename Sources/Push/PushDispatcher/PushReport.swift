public import APNsClient
import Foundation
public import GameCore

/// A report of one push and its outcome for operators, as JSON in camelCase.
///
/// It does not contain the provider token, and only the first digits of the device token.
public struct PushReport: Encodable, Sendable {
    /// A header field of the request.
    public struct Header: Encodable, Sendable, Equatable {
        /// The name, in lower case.
        public let name: String
        /// The value as it was sent, with secrets redacted.
        public let value: String
    }

    /// The outcome of a push.
    public enum Outcome: String, Encodable, Sendable {
        /// APNs accepted it.
        case accepted
        /// APNs rejected it.
        case rejected
        /// It was sent, and there was no response.
        case unknown
        /// It was not sent.
        case neverSent
    }

    /// The APNs environment.
    public let environment: PushEnvironment
    /// The host of the server.
    public let host: String
    /// The port of the server.
    public let port: Int
    /// Method and path.
    public let request: String
    /// The header fields, in the order of the request.
    public let headers: [Header]
    /// The payload as it was sent.
    public let payload: String
    /// The size of the payload in bytes; APNs accepts up to 4,096.
    public let payloadBytes: Int
    /// The outcome.
    public let outcome: Outcome
    /// The status of the response; nil without a response.
    public let status: Int?
    /// The reason of a rejection, as APNs gives it.
    public let reason: String?
    /// `apns-unique-id` of the development environment, by which Apple's console finds the push.
    public let apnsUniqueID: String?
    /// The meaning of the outcome, in one sentence.
    public let meaning: String
    /// The remedy, in one or two sentences.
    public let remedy: String

    /// The report as a JSON object.
    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            preconditionFailure("a report of texts and numbers cannot be encoded: \(error)")
        }
    }

    /// Builds the report of one push.
    /// - Parameters:
    ///   - push: the push.
    ///   - address: the server to which it was sent.
    ///   - environment: the APNs environment.
    ///   - outcome: its outcome.
    public init(
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
            (self.outcome, status, reason) = (.accepted, 200, nil)
            uniqueID = id
        case .rejected(let rejection):
            (self.outcome, status, reason) = (.rejected, rejection.status, rejection.reason.text)
        case .unknown: (self.outcome, status, reason) = (.unknown, nil, nil)
        case .neverSent: (self.outcome, status, reason) = (.neverSent, nil, nil)
        }
        apnsUniqueID = uniqueID
        meaning = outcome.advice.meaning
        remedy = outcome.advice.remedy
    }
}

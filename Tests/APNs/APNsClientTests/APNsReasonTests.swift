import Foundation
import HTTP2Transport
import Testing

@testable import APNsClient

struct APNsReasonTests {
    /// A row of one of Apple's tables of reasons, with the reaction.
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let text: String
        let reaction: APNsReaction

        var testDescription: String { text }
    }

    static let pushes: [Row] = [
        Row(status: 400, text: "BadCollapseId", reaction: .dropMessage),
        Row(status: 400, text: "BadDeviceToken", reaction: .forgetToken),
        Row(status: 400, text: "BadExpirationDate", reaction: .dropMessage),
        Row(status: 400, text: "BadMessageId", reaction: .dropMessage),
        Row(status: 400, text: "BadPriority", reaction: .dropMessage),
        Row(status: 400, text: "BadTopic", reaction: .stopSending),
        Row(status: 400, text: "DeviceTokenNotForTopic", reaction: .forgetToken),
        Row(status: 400, text: "DuplicateHeaders", reaction: .dropMessage),
        Row(status: 400, text: "IdleTimeout", reaction: .reconnect),
        Row(status: 400, text: "InvalidPushType", reaction: .dropMessage),
        Row(status: 400, text: "MissingDeviceToken", reaction: .dropMessage),
        Row(status: 400, text: "MissingTopic", reaction: .dropMessage),
        Row(status: 400, text: "PayloadEmpty", reaction: .dropMessage),
        Row(status: 400, text: "TopicDisallowed", reaction: .stopSending),
        Row(status: 403, text: "BadCertificate", reaction: .stopSending),
        Row(status: 403, text: "BadCertificateEnvironment", reaction: .stopSending),
        Row(status: 403, text: "BadEnvironmentKeyInToken", reaction: .stopSending),
        Row(status: 403, text: "ExpiredProviderToken", reaction: .renewToken),
        Row(status: 403, text: "Forbidden", reaction: .stopSending),
        Row(status: 403, text: "InvalidProviderToken", reaction: .stopSending),
        Row(status: 403, text: "MissingProviderToken", reaction: .dropMessage),
        Row(status: 403, text: "UnrelatedKeyIdInToken", reaction: .reconnect),
        Row(status: 404, text: "BadPath", reaction: .dropMessage),
        Row(status: 405, text: "MethodNotAllowed", reaction: .dropMessage),
        Row(status: 410, text: "ExpiredToken", reaction: .forgetToken),
        Row(status: 410, text: "Unregistered", reaction: .forgetToken),
        Row(status: 413, text: "PayloadTooLarge", reaction: .dropMessage),
        Row(status: 429, text: "TooManyProviderTokenUpdates", reaction: .pauseSending),
        Row(status: 429, text: "TooManyRequests", reaction: .retry),
        Row(status: 500, text: "InternalServerError", reaction: .retry),
        Row(status: 503, text: "ServiceUnavailable", reaction: .retry),
        Row(status: 503, text: "Shutdown", reaction: .reconnect),
    ]

    static let broadcasts: [Row] = [
        Row(status: 400, text: "FeatureNotEnabled", reaction: .stopSending),
        Row(status: 400, text: "MissingChannelId", reaction: .dropMessage),
        Row(status: 400, text: "BadChannelId", reaction: .forgetChannel),
        Row(status: 400, text: "ChannelNotRegistered", reaction: .forgetChannel),
        Row(status: 400, text: "BadRequestParams", reaction: .dropMessage),
        Row(status: 400, text: "BadRequestPayload", reaction: .dropMessage),
        Row(status: 400, text: "PayloadEmpty", reaction: .dropMessage),
        Row(status: 400, text: "BadMessageId", reaction: .dropMessage),
        Row(status: 400, text: "MissingPushType", reaction: .dropMessage),
        Row(status: 400, text: "InvalidPushType", reaction: .dropMessage),
        Row(status: 400, text: "CannotCreateChannelConfig", reaction: .deleteChannels),
        Row(status: 400, text: "BadExpirationDate", reaction: .dropMessage),
        Row(status: 400, text: "TopicDisallowed", reaction: .stopSending),
        Row(status: 400, text: "BadPriority", reaction: .dropMessage),
        Row(status: 403, text: "BadCertificate", reaction: .stopSending),
        Row(status: 403, text: "BadCertificateEnvironment", reaction: .stopSending),
        Row(status: 403, text: "MissingProviderToken", reaction: .dropMessage),
        Row(status: 403, text: "InvalidProviderToken", reaction: .stopSending),
        Row(status: 403, text: "ExpiredProviderToken", reaction: .renewToken),
        Row(status: 403, text: "TopicMismatch", reaction: .stopSending),
        Row(status: 404, text: "BadPath", reaction: .dropMessage),
        Row(status: 405, text: "MethodNotAllowed", reaction: .dropMessage),
        Row(status: 413, text: "PayloadTooLarge", reaction: .dropMessage),
        Row(status: 429, text: "TooManyRequests", reaction: .retry),
        Row(status: 429, text: "TooManyProviderTokenUpdates", reaction: .pauseSending),
        Row(status: 500, text: "InternalServerError", reaction: .retry),
        Row(status: 503, text: "Shutdown", reaction: .reconnect),
    ]

    private func rejection(
        _ status: Int,
        _ body: String,
        headers: [HTTP2Header] = [],
        at now: Int64 = 784_111_777
    ) -> APNsRejection {
        APNsRejection(HTTP2Response(status: status, headers: headers, body: Array(body.utf8)), at: now)
    }

    @Test(arguments: pushes + broadcasts)
    func `every documented reason has its reaction`(row: Row) {
        let rejection = rejection(row.status, #"{"reason":"\#(row.text)"}"#)
        #expect(rejection.status == row.status)
        #expect(rejection.reason.text == row.text)
        #expect(rejection.reason != .unknown(row.text))
        #expect(rejection.reaction == row.reaction)
    }

    @Test(
        arguments: [
            (403, "BadEnvironmentKeyIdInToken", .badEnvironmentKeyInToken, .stopSending),
            (503, "Service Unavailable", .serviceUnavailable, .retry),
        ] as [(Int, String, APNsReason, APNsReaction)]
    )
    func `alternative spellings are the same reason`(
        status: Int,
        text: String,
        reason: APNsReason,
        reaction: APNsReaction
    ) {
        let rejection = rejection(status, #"{"reason":"\#(text)"}"#)
        #expect(rejection.reason == reason)
        #expect(rejection.reaction == reaction)
    }

    @Test(arguments: [
        (400, APNsReaction.dropMessage), (403, .stopSending), (404, .dropMessage), (410, .forgetToken),
        (413, .dropMessage),
        (429, .retry), (500, .retry), (502, .retry), (503, .retry), (301, .dropMessage),
    ])
    func `the reaction to an unknown reason depends on the status`(status: Int, reaction: APNsReaction) {
        let known = rejection(status, #"{"reason":"BrandNewReason"}"#)
        #expect(known.reason == .unknown("BrandNewReason"))
        #expect(known.reaction == reaction)
    }

    @Test(arguments: [301, 400, 403, 404, 408, 410, 413, 421, 429, 500, 502], ["", "<html>", "[]", #"{"reason":1}"#])
    func `a rejection without a reason is not Apple's and is retried`(status: Int, body: String) {
        let foreign = rejection(status, body)
        #expect(foreign.reason == .unknown(""))
        #expect(foreign.reaction == .retry)
    }

    @Test func `a rejection has the token's timestamp and Retry-After`() {
        let dead = rejection(410, #"{"reason":"Unregistered","timestamp":1700000000123}"#)
        #expect(dead.tokenInvalidSinceMilliseconds == 1_700_000_000_123)
        #expect(dead.retryAfterSeconds == nil)
        let busy = rejection(429, #"{"reason":"TooManyRequests"}"#, headers: [HTTP2Header("retry-after", "17")])
        #expect(busy.retryAfterSeconds == 17)
        #expect(busy.tokenInvalidSinceMilliseconds == nil)
    }

    @Test(
        arguments: [
            ("1700000000123.75", 1_700_000_000_123), ("1.7e12", 1_700_000_000_000), ("1e300", nil), (#""soon""#, nil),
            ("null", nil),
        ] as [(String, Int64?)]
    )
    func `an invalid timestamp does not affect the reason`(timestamp: String, milliseconds: Int64?) {
        let dead = rejection(410, #"{"reason":"ExpiredToken","timestamp":\#(timestamp)}"#)
        #expect(dead.reason == .expiredToken)
        #expect(dead.tokenInvalidSinceMilliseconds == milliseconds)
    }

    @Test func `an invalid reason does not affect the timestamp`() {
        #expect(rejection(410, #"{"reason":1,"timestamp":5}"#).tokenInvalidSinceMilliseconds == 5)
    }

    @Test(
        arguments: [
            ("0", 0), ("3600", 3600), ("3601", 3600), ("-1", 0), ("9223372036854775807", 3600), ("soon", nil),
        ] as [(String, Int?)]
    )
    func `Retry-After is limited to an hour`(header: String, seconds: Int?) {
        let busy = rejection(503, "", headers: [HTTP2Header("retry-after", header)])
        #expect(busy.retryAfterSeconds == seconds)
    }

    @Test(
        arguments: [
            ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
            ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("Mon, 07 Nov 1994 08:49:37 GMT", 3600),
            ("Sunday, 06-Nov-94 08:50:37 GMT", 3600), ("Sun Nov  6 08:49:47 1994", 10), ("Sun, 06 Nov", nil),
        ] as [(String, Int?)]
    )
    func `Retry-After may be a date`(header: String, seconds: Int?) {
        let busy = rejection(503, "", headers: [HTTP2Header("retry-after", header)], at: 784_111_777)
        #expect(busy.retryAfterSeconds == seconds)
    }

    @Test func `a date in Retry-After is relative to the response's Date`() {
        let headers = [
            HTTP2Header("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"),
            HTTP2Header("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ]
        #expect(rejection(503, "", headers: headers, at: 0).retryAfterSeconds == 60)
    }
}

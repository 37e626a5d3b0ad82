import Cryptography
import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import HTTPServing
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A request with its authenticated caller and its whole body: the input of a handler.
struct APIRequest<Caller: Sendable>: Sendable {
    /// The allowed length of an idempotency key: enough for all common identifiers, and for a hash with a prefix.
    private static var keyBytes: ClosedRange<Int> { 1...255 }

    let caller: Caller
    /// The identifier of the request in the log.
    let requestID: String
    private let request: Request
    private let parameters: Parameters
    private let body: [UInt8]
    private let channel: any Channel
    private let logger: Logger

    /// Checks the query and reads the body of a request.
    /// - Parameters:
    ///   - request: the request.
    ///   - context: the request's context, which has the path parameters.
    ///   - caller: the authenticated caller.
    ///   - queryNames: the allowed query parameters; each may appear once.
    /// - Throws: ``HTTPProblem`` if the query has other parameters, or for an invalid body.
    init(
        _ request: Request,
        _ context: ServingContext,
        caller: Caller,
        queryNames: Set<String>
    ) async throws {
        try Self.check(request.uri.queryParameters.map { String($0.key) }, against: queryNames)
        self.caller = caller
        requestID = context.requestID
        self.request = request
        parameters = context.parameters
        channel = context.channel
        logger = context.logger
        body = try await request.readBody()
    }

    /// Rejects unknown query parameters.
    ///
    /// Otherwise a client that misspells one would not notice.
    private static func check(_ present: [String], against names: Set<String>) throws(HTTPProblem) {
        let counts = Dictionary(present.map { ($0, 1) }, uniquingKeysWith: +)
        let errors = counts.sorted { $0.key < $1.key }.compactMap { name, count -> HTTPProblem.FieldError? in
            if !names.contains(name) { return .init(field: name, reason: "is not a parameter of this request") }
            return count > 1 ? .init(field: name, reason: "must not be repeated") : nil
        }
        guard errors.isEmpty else { throw .invalidFields(errors) }
    }
}

// MARK: - Path, query and body

extension APIRequest {
    /// The party in the path.
    var partyID: PartyID { get throws(HTTPProblem) { try id("partyID") } }

    /// The adventure in the path.
    var adventureID: AdventureID { get throws(HTTPProblem) { try id("adventureID") } }

    /// The raid in the path.
    var raidID: RaidID { get throws(HTTPProblem) { try id("raidID") } }

    /// The activity in the path.
    var activityID: ActivityID { get throws(HTTPProblem) { try id("activityID") } }

    /// The device in the path.
    var deviceID: DeviceID { get throws(HTTPProblem) { try id("deviceID") } }

    /// The player in the path.
    var playerID: PlayerID { get throws(HTTPProblem) { try id("playerID") } }

    /// The token in the path.
    var tokenID: TokenID { get throws(HTTPProblem) { try id("tokenID") } }

    /// The secret of the spectators' link in the path; nil if it does not have the form of one.
    var spectatorToken: SpectatorToken? { parameters.get("link").flatMap { SpectatorToken($0) } }

    /// The leaderboard in the path.
    var leaderboard: Leaderboard {
        get throws(HTTPProblem) {
            guard let board = parameters.get("board").flatMap({ Leaderboard(rawValue: $0) }) else {
                throw .invalidFields([.init(field: "board", reason: "must be \(Leaderboard.words)")])
            }
            return board
        }
    }

    /// The operator in the path.
    var operatorName: String {
        get throws(HTTPProblem) {
            // The router does not decode the at signs that clients may encode.
            guard let name = parameters.get("name")?.removingPercentEncoding, OperatorNameRule.matches(name) else {
                throw .invalidFields([.init(field: "name", reason: "must be \(OperatorNameRule.text)")])
            }
            return name
        }
    }

    /// Returns the identifier in a path parameter.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` if it is malformed.
    private func id<ID: EntityID>(_ parameter: String) throws(HTTPProblem) -> ID {
        guard let id = parameters.get(parameter).flatMap({ ID($0) }) else {
            throw .invalidFields([.init(field: parameter, reason: "must be a UUID")])
        }
        return id
    }

    /// Returns a query parameter; nil if it is missing.
    func queryText(_ name: String) -> String? { request.uri.queryParameters.get(name) }

    /// Parses a query parameter.
    /// - Parameters:
    ///   - name: the name of the parameter.
    ///   - expectation: the error message for a malformed value: "must be …".
    ///   - parse: returns the value; nil if the text is malformed.
    /// - Returns: the value; nil if the parameter is missing.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` if the value is malformed.
    func queryValue<Value>(
        _ name: String,
        _ expectation: String,
        _ parse: (String) -> Value?
    ) throws(HTTPProblem) -> Value? {
        guard let text = queryText(name) else { return nil }
        guard let value = parse(text) else { throw .invalidFields([.init(field: name, reason: expectation)]) }
        return value
    }

    /// Returns a timestamp of the query; nil if it is missing.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` if it is malformed.
    func timestamp(_ name: String) throws(HTTPProblem) -> Timestamp? {
        try queryValue(name, "must be a timestamp such as 2026-01-02T03:04:05Z") { Timestamp(rfc3339: $0) }
    }

    /// Returns a flag of the query, `true` or `false`; false if it is missing.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` if it is malformed.
    func flag(_ name: String) throws(HTTPProblem) -> Bool {
        try queryValue(name, "must be true or false") { Bool($0) } ?? false
    }

    /// Returns a whole number of the query.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` if it is malformed or out of range.
    func number(_ name: String, in range: ClosedRange<Int>, default defaultValue: Int) throws(HTTPProblem) -> Int {
        let expectation = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
        return try queryValue(name, expectation) { WholeNumber.read($0, in: range) } ?? defaultValue
    }

    /// Reads the body as a JSON object with the fields of a type.
    /// - Throws: ``HTTPProblem`` for another content type, a compressed body, malformed JSON, or invalid fields.
    func fields<Body: RequestFields>(_ type: Body.Type = Body.self) throws(HTTPProblem) -> Body {
        guard isJSON else { throw .wrongContentType }
        guard isUTF8 else { throw .wrongCharset }
        guard !isCompressed else { throw .compressedBody }
        return try Body.read(from: try Fields(json: body))
    }

    private var isCompressed: Bool {
        request.headers[values: .contentEncoding].contains { $0.lowercased() != "identity" }
    }

    private var isJSON: Bool { contentType.first?.lowercased() == "application/json" }

    /// Whether the body is declared as UTF-8, or its character encoding is not declared (RFC 8259, section 8.1).
    private var isUTF8: Bool {
        contentType.dropFirst().allSatisfy { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.first?.lowercased() == "charset" else { return true }
            return parts.count == 2 && ["utf-8", "\"utf-8\""].contains(parts[1].lowercased())
        }
    }

    /// The media type and its parameters.
    private var contentType: [String] {
        request.headers[.contentType]?.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) } ?? []
    }
}

// MARK: - Headers

extension APIRequest {
    /// Returns the address that the request is attributed to.
    func address(trusting proxies: [AddressRange]) -> ClientAddress {
        ClientAddress(of: request, over: channel, trusting: proxies)
    }

    /// Returns a header.
    func header(_ name: HTTPField.Name) -> String? { request.headers[name] }

    /// The idempotency key with a hash of the request; nil if the request has no key, so its response is not stored.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` for a malformed key.
    var idempotentRequest: IdempotentRequest? {
        get throws(HTTPProblem) {
            guard let key = request.headers[.idempotencyKey] else { return nil }
            let isVisible = key.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            guard isVisible, Self.keyBytes.contains(key.utf8.count) else {
                let limits = "\(Self.keyBytes.lowerBound) to \(Self.keyBytes.upperBound)"
                let reason = "must have \(limits) visible ASCII characters"
                throw .invalidFields([.init(field: HTTPField.Name.idempotencyKey.rawName, reason: reason)])
            }
            let query = request.uri.query.map { "?\($0)" } ?? ""
            let head = "\(request.method.rawValue) \(request.uri.path)\(query)\n"
            return IdempotentRequest(key: key, hash: SHA256.digest(of: Array(head.utf8) + body))
        }
    }

    /// The key and the hash of a registration, whose key must be a random UUID: the player does not exist yet, and two apps
    /// with the same key would share the player.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` for another key.
    var idempotentRegistration: (request: IdempotentRequest, key: UUID)? {
        get throws(HTTPProblem) {
            guard let request = try idempotentRequest else { return nil }
            // With hyphens or without them, as RangersClient writes keys.
            let isShort = request.key.utf8.count == 32
            let key = isShort ? [UInt8](hexadecimal: request.key).map(UUID.init(bytes:)) : UUID(text: request.key)
            guard let key, withUnsafeBytes(of: key.uuid, { Set($0).count }) >= Self.minDistinctBytes else {
                let reason = """
                    must be a random UUID for a registration, such as 3f2c6d1e-8b7a-4c95-9e0d-5a4b3c2d1e0f: another app with \
                    the same key would get the same player
                    """
                throw .invalidFields([.init(field: HTTPField.Name.idempotencyKey.rawName, reason: reason)])
            }
            return (request, key)
        }
    }

    /// The minimum number of different bytes in a random UUID: one in 10¹² has fewer, and those that people make up have.
    private static var minDistinctBytes: Int { 8 }

    /// The versions of the party or profile that the request may change, from `If-Match`; nil for all versions.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` for a malformed header.
    var expectedVersions: Set<Int64>? {
        get throws(HTTPProblem) {
            switch try entityTags(.ifMatch, allowsWeak: false) {
            case nil, .any: nil
            case .versions(let versions): versions
            }
        }
    }

    /// Returns whether the client has a version already, by `If-None-Match`.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` for a malformed header.
    func matchesCachedVersion(_ version: Int64) throws(HTTPProblem) -> Bool {
        switch try entityTags(.ifNoneMatch, allowsWeak: true) {
        case nil: false
        case .any: true
        case .versions(let versions): versions.contains(version)
        }
    }

    private func entityTags(_ name: HTTPField.Name, allowsWeak: Bool) throws(HTTPProblem) -> EntityTags? {
        guard let header = request.headers[name] else { return nil }
        guard let tags = EntityTags(header, allowsWeak: allowsWeak) else {
            throw .invalidFields([
                .init(field: name.rawName, reason: #"must be * or a list of ETags, such as "7""#)
            ])
        }
        return tags
    }
}

extension APIRequest where Caller == Operator {
    /// The author of the caller's changes in the audit log.
    var author: AuditAuthor { AuditAuthor(operator: caller.name, requestID: requestID) }
}

// MARK: - Event streams

extension APIRequest {
    /// Returns a response whose body is an event stream.
    /// - Parameters:
    ///   - headers: the headers of the response.
    ///   - makeStream: makes the stream. The stream ends when the channel closes.
    /// - Returns: the response.
    func streamResponse(
        headers: HTTPFields,
        _ makeStream: @escaping @Sendable (_ channel: any Channel, _ logger: Logger) -> EventStream
    ) -> Response {
        Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { writer in
                let stream = makeStream(channel, logger)
                channel.closeFuture.whenComplete { _ in stream.subscriber.finish() }
                try await channel.closeOnRemoteHalfClosure()
                try await stream.write(to: &writer)
            }
        )
    }
}

extension Channel {
    /// Closes an HTTP/1.1 connection as soon as the client closes its half.
    ///
    /// Otherwise a quiet stream would notice a closed client only at the next write. HTTP/2 streams do so by default.
    fileprivate func closeOnRemoteHalfClosure() async throws {
        let isConnection = parent?.parent == nil
        if isConnection { try await setOption(.allowRemoteHalfClosure, value: false).get() }
    }
}

import Cryptography
import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A request whose caller is known and whose body has been read: what a handler gets.
struct Call<Caller: Sendable>: Sendable {
    /// What one request may carry: far more than any has, far less than hurts.
    static var largestBodyBytes: Int { 64 * 1024 }
    /// What an idempotency key may have: room for every kind of identifier, and for a hash with a prefix.
    private static var keyBytes: ClosedRange<Int> { 1...255 }

    /// Who calls.
    let caller: Caller
    /// The request's identifier.
    let requestID: String
    private let request: Request
    private let parameters: Parameters
    private let body: [UInt8]
    private let channel: any Channel
    private let logger: Logger

    /// Reads the body of a request.
    /// - Parameters:
    ///   - request: the request.
    ///   - context: has what stands at the places of the path.
    ///   - caller: who sends it.
    ///   - queryNames: what the query may have; each once.
    /// - Throws: ``Problem`` when it has another query or is too large, ``BrokenRequest`` when it does not arrive.
    init(
        _ request: Request,
        _ context: APIContext,
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
        body = try await Self.body(of: request)
    }

    /// A client that misspells a parameter should hear of it rather than wonder.
    private static func check(_ given: [String], against names: Set<String>) throws(Problem) {
        let counts = Dictionary(given.map { ($0, 1) }, uniquingKeysWith: +)
        let errors = counts.sorted { $0.key < $1.key }.compactMap { name, count -> Problem.FieldError? in
            if !names.contains(name) { return .init(field: name, reason: "is not a parameter of this request") }
            return count > 1 ? .init(field: name, reason: "must be given once") : nil
        }
        guard errors.isEmpty else { throw .invalidFields(errors) }
    }

    private static func body(of request: Request) async throws -> [UInt8] {
        let tooLarge = Problem.bodyTooLarge(limit: largestBodyBytes)
        if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > largestBodyBytes {
            throw tooLarge
        }
        var body: [UInt8] = []
        do {
            for try await part in request.body {
                guard body.count + part.readableBytes <= largestBodyBytes else { throw tooLarge }
                body += part.readableBytesView
            }
            // A body that ends because nobody waits for it any more is not a whole one.
            try Task.checkCancellation()
        } catch let error as BrokenBody {
            throw error.problem
        } catch let error where error is Problem || error is CancellationError {
            throw error
        } catch {
            throw BrokenRequest(cause: error)
        }
        return body
    }
}

extension Call {
    /// The identifier at a place of the path, nil when what stands there is no identifier.
    func id<ID: EntityID>(_ parameter: String, as type: ID.Type = ID.self) -> ID? {
        parameters.get(parameter).flatMap { ID($0) }
    }

    /// The party that the path names; what is no identifier names none.
    var partyID: PartyID {
        get throws(CommandError) {
            guard let id = id("partyID", as: PartyID.self) else { throw .unknownParty }
            return id
        }
    }

    /// The adventure that the path names; what is no identifier names none.
    var adventureID: AdventureID {
        get throws(CommandError) {
            guard let id = id("adventureID", as: AdventureID.self) else { throw .unknownAdventure }
            return id
        }
    }

    /// The activity that the path names; what is no identifier names none.
    var activityID: ActivityID? { id("activityID") }

    /// A text of the query, nil when it is not there.
    func queryText(_ name: String) -> String? { request.uri.queryParameters.get(name) }

    /// A text of the query that `parse` makes something of, nil when it is not there.
    /// - Throws: ``Problem/invalidFields(_:)`` with the expectation when it is something else.
    func queryValue<Value>(
        _ name: String,
        _ expectation: String,
        _ parse: (String) -> Value?
    ) throws(Problem) -> Value? {
        guard let text = request.uri.queryParameters.get(name) else { return nil }
        guard let value = parse(text) else { throw .invalidFields([.init(field: name, reason: expectation)]) }
        return value
    }

    /// A moment of the query, nil when it is not there.
    /// - Throws: ``Problem/invalidFields(_:)`` when it is something else.
    func moment(_ name: String) throws(Problem) -> Timestamp? {
        try queryValue(name, "must be a moment such as 2026-01-02T03:04:05Z") { Timestamp(rfc3339: $0) }
    }

    /// A yes or no of the query: `true` or `false`, and no when it is not there.
    /// - Throws: ``Problem/invalidFields(_:)`` when it is something else.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch request.uri.queryParameters.get(name) {
        case nil, "false": false
        case "true": true
        case .some: throw .invalidFields([.init(field: name, reason: "must be true or false")])
        }
    }

    /// The body as an object with the fields that a type takes, and no others.
    func fields<Body: RequestFields>(_ type: Body.Type = Body.self) throws(Problem) -> Body {
        guard isJSON else { throw .wrongContentType }
        guard !isEncoded else { throw .compressedBody }
        return try Body.read(from: try Fields(json: body))
    }

    /// A header of the request.
    func header(_ name: HTTPField.Name) -> String? { request.headers[name] }

    /// An event stream as the answer; what writes it is told where to, and ends when the client goes.
    func answer(
        headers: HTTPFields,
        _ make: @escaping @Sendable (_ channel: any Channel, _ logger: Logger) -> EventStream
    ) -> Response {
        Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { writer in
                let stream = make(channel, logger)
                channel.closeFuture.whenComplete { _ in stream.follower.finish() }
                try await channel.endWithItsClient()
                try await stream.write(to: &writer)
            }
        )
    }

    /// A whole number of the query.
    /// - Throws: ``Problem/invalidFields(_:)`` when it is something else, or out of range.
    func number(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws(Problem) -> Int {
        guard let text = queryText(name) else { return standard }
        guard let number = WholeNumber.read(text, in: range) else {
            let reason = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            throw .invalidFields([.init(field: name, reason: reason)])
        }
        return number
    }

    /// What makes a write repeatable, nil when its caller gave no key: nothing is kept then.
    var repeatable: RepeatableRequest? {
        get throws(Problem) {
            guard let key = request.headers[.idempotencyKey] else { return nil }
            let isVisible = key.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            guard isVisible, Self.keyBytes.contains(key.utf8.count) else {
                let limits = "\(Self.keyBytes.lowerBound) to \(Self.keyBytes.upperBound)"
                let reason = "must have \(limits) visible ASCII characters"
                throw .invalidFields([.init(field: HTTPField.Name.idempotencyKey.rawName, reason: reason)])
            }
            let query = request.uri.query.map { "?\($0)" } ?? ""
            let head = "\(request.method.rawValue) \(request.uri.path)\(query)\n"
            return RepeatableRequest(key: key, hash: SHA256.digest(of: Array(head.utf8) + body))
        }
    }

    /// The versions of a party that a write may change, nil for every one: `If-Match`.
    var expectedVersions: Set<Int64>? {
        get throws(Problem) {
            switch try entityTags(.ifMatch, takesWeak: false) {
            case nil, .any: nil
            case .versions(let versions): versions
            }
        }
    }

    /// Whether the client has what it asks for already, at that version: `If-None-Match`.
    func hasAlready(version: Int64) throws(Problem) -> Bool {
        switch try entityTags(.ifNoneMatch, takesWeak: true) {
        case nil: false
        case .any: true
        case .versions(let versions): versions.contains(version)
        }
    }

    private func entityTags(_ name: HTTPField.Name, takesWeak: Bool) throws(Problem) -> EntityTags? {
        guard let header = request.headers[name] else { return nil }
        guard let tags = EntityTags(header, takesWeak: takesWeak) else {
            throw .invalidFields([
                .init(field: name.rawName, reason: #"must be * or an ETag of the party, such as "7""#)
            ])
        }
        return tags
    }

    /// Whether the body is something else than what it stands for; `identity` says that it is not.
    private var isEncoded: Bool {
        request.headers[values: .contentEncoding].contains { $0.lowercased() != "identity" }
    }

    private var isJSON: Bool {
        let mediaType = request.headers[.contentType]?.prefix { $0 != ";" }
        return mediaType?.trimmingCharacters(in: .whitespaces).lowercased() == "application/json"
    }
}

extension Call where Caller == Operator {
    /// Who changes something, for the audit log.
    var author: AuditAuthor { AuditAuthor(operator: caller.name, requestID: requestID) }
}

extension Channel {
    /// Closes a connection as soon as its client has closed its half: for answers that wait, since a client who is gone
    /// shows by nothing else until it is written to.
    ///
    /// Streams of an HTTP/2 connection are closed so already.
    fileprivate func endWithItsClient() async throws {
        let isConnection = parent?.parent == nil
        if isConnection { try await setOption(.allowRemoteHalfClosure, value: false).get() }
    }
}

import Digests
import Foundation
import GameCore
import GameEngine
import HTTPTypes
import Hummingbird

/// A request whose caller is known and whose body has been read: what a handler gets.
struct Call<Caller: Sendable>: Sendable {
    /// What one request may carry: far more than any has, far less than hurts.
    static var largestBodyBytes: Int { 64 * 1024 }
    /// What an idempotency key may have: room for every kind of identifier, and for a hash with a prefix.
    private static var keyBytes: ClosedRange<Int> { 1...255 }

    /// Who calls.
    let caller: Caller
    private let request: Request
    private let parameters: Parameters
    private let body: [UInt8]

    /// Reads the body of a request.
    /// - Throws: ``Problem`` when it is too large, ``BrokenRequest`` when it does not arrive.
    init(_ request: Request, _ context: BasicRequestContext, caller: Caller) async throws {
        self.caller = caller
        self.request = request
        parameters = context.parameters
        body = try await Self.body(of: request)
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
        } catch let problem as Problem {
            throw problem
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

    /// The body as an object with the fields that a type takes, and no others.
    func fields<Body: RequestFields>(_ type: Body.Type = Body.self) throws(Problem) -> Body {
        guard isJSON else { throw .wrongContentType }
        return try Body.read(from: try Fields(json: body))
    }

    /// A whole number of the query.
    /// - Throws: ``Problem/invalidFields(_:)`` when it is something else, or out of range.
    func number(_ name: String, in range: ClosedRange<Int>, default standard: Int) throws(Problem) -> Int {
        guard let text = request.uri.queryParameters.get(name) else { return standard }
        guard let number = Int(text), range.contains(number) else {
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
            let head = "\(request.method.rawValue) \(request.uri.path)\n"
            return RepeatableRequest(key: key, hash: SHA256.digest(of: Array(head.utf8) + body))
        }
    }

    private var isJSON: Bool {
        let mediaType = request.headers[.contentType]?.prefix { $0 != ";" }
        return mediaType?.trimmingCharacters(in: .whitespaces).lowercased() == "application/json"
    }
}

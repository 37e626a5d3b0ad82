import Foundation
import Hummingbird
import NIOCore

/// What a route of the wall knows of its request.
struct WallContext: RequestContext {
    /// As everywhere in the project; nothing that this API takes comes near.
    static let largestBodyBytes = 64 * 1024

    var coreContext: CoreRequestContextStorage
    /// Where the request came from.
    let channel: any NIOCore.Channel

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        coreContext = CoreRequestContextStorage(source: source)
    }

    /// The phone that the path names; what is no UUID names none.
    var phoneID: Identifier<Phone> {
        get throws {
            guard let id = parameters.get("phoneID").flatMap({ Identifier<Phone>($0) }) else {
                throw WallError.unknownPhone
            }
            return id
        }
    }

    /// The activity that the path names; what is no UUID names none.
    var activityID: Identifier<PhoneActivity> {
        get throws {
            guard let id = parameters.get("activityID").flatMap({ Identifier<PhoneActivity>($0) }) else {
                throw WallError.unknownActivity
            }
            return id
        }
    }

    /// A whole number that the query may have; nil when it has none.
    func number(_ name: String, in range: ClosedRange<Int>, of request: Request) throws(Problem) -> Int? {
        guard let text = request.uri.queryParameters[Substring(name)] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let isOpen = range.upperBound == .max
            let reason =
                isOpen ? "a whole number, \(range.lowerBound) at least" : "\(range.lowerBound) to \(range.upperBound)"
            throw Problem.invalidFields([Problem.FieldError(field: name, reason: reason)])
        }
        return number
    }

    /// Reads a request's body as JSON, whatever its content type.
    func decode<Body: RequestBody>(_ type: Body.Type, from request: Request) async throws -> Body {
        let bytes = try await request.body.collect(upTo: Self.largestBodyBytes)
        do {
            return try JSONDecoder().decode(KnownFields<Body>.self, from: Data(bytes.readableBytesView)).body
        } catch {
            throw Problem.unreadableBody(explanation(of: error, in: Array(bytes.readableBytesView)))
        }
    }
}

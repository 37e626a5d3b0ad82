import Encodings
import Foundation
import Hummingbird
import NIOCore

/// The request context of the wall's routes.
struct WallContext: RequestContext {
    /// The maximum size of a request body: that of all servers in this project, and far above any body of this API.
    static let maxBodyBytes = 64 * 1024

    var coreContext: CoreRequestContextStorage
    /// The request's connection.
    let channel: any NIOCore.Channel

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        coreContext = CoreRequestContextStorage(source: source)
    }

    /// The phone in the path; anything but a UUID is an unknown phone.
    var phoneID: WallID<Phone> {
        get throws {
            guard let id = parameters.get("phoneID").flatMap({ WallID<Phone>($0) }) else {
                throw WallError.unknownPhone
            }
            return id
        }
    }

    /// The activity in the path; anything but a UUID is an unknown activity.
    var activityID: WallID<PhoneActivity> {
        get throws {
            guard let id = parameters.get("activityID").flatMap({ WallID<PhoneActivity>($0) }) else {
                throw WallError.unknownActivity
            }
            return id
        }
    }

    /// The raid in the path; anything but a UUID is an unknown path.
    var raidID: UUID {
        get throws(SimulatorProblem) {
            guard let id = parameters.get("raidID").flatMap({ UUID(text: $0) }) else { throw .notFound }
            return id
        }
    }

    /// Returns an integer parameter of the query; nil when it is missing.
    func number(_ name: String, in range: ClosedRange<Int>, of request: Request) throws(SimulatorProblem) -> Int? {
        guard let text = request.uri.queryParameters[Substring(name)] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            let isOpen = range.upperBound == .max
            let reason =
                isOpen
                ? "must be an integer of at least \(range.lowerBound)"
                : "must be from \(range.lowerBound) to \(range.upperBound)"
            throw SimulatorProblem.invalidFields([SimulatorProblem.FieldError(field: name, reason: reason)])
        }
        return number
    }

    /// Decodes a request's body as JSON, regardless of its content type.
    func decode<Body: RequestBody>(_ type: Body.Type, from request: Request) async throws -> Body {
        let bytes = try await request.body.collect(upTo: Self.maxBodyBytes)
        do {
            return try JSONDecoder().decode(KnownFields<Body>.self, from: Data(bytes.readableBytesView)).body
        } catch {
            throw SimulatorProblem.unreadableBody(explanation(of: error, in: Array(bytes.readableBytesView)))
        }
    }
}

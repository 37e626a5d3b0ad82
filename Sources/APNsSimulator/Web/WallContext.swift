import Foundation
import Hummingbird

/// What a route of the wall knows of its request.
struct WallContext: RequestContext {
    /// As everywhere in the project; nothing that this API takes comes near.
    static let largestBodyBytes = 64 * 1024

    var coreContext: CoreRequestContextStorage

    init(source: ApplicationRequestContextSource) {
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

    /// Reads a request's body as JSON, whatever its content type.
    func decode<Body: Decodable>(_ type: Body.Type, from request: Request) async throws -> Body {
        let bytes = try await request.body.collect(upTo: Self.largestBodyBytes)
        do {
            return try JSONDecoder().decode(type, from: Data(bytes.readableBytesView))
        } catch {
            throw Problem.unreadableBody(explanation(of: error))
        }
    }
}

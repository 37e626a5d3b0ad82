import Encodings
public import Foundation
public import GameCore
import RangersClient

/// The simulator of APNs and its phones, over its control API.
public struct SimulatorClient: Sendable {
    private let http: Requester

    /// The simulator at an address.
    public init(at url: URL) {
        // It outlives everything that is done to the server.
        let configuration = RangersConfiguration(transport: PlayersTransport(), retryPolicy: .never)
        http = Requester(server: url, token: nil, configuration: configuration)
    }

    /// Switches a phone on.
    /// - Returns: its name.
    public func addPhone(label: String, locale: String, frequentPushesEnabled: Bool) async throws -> UUID {
        struct NewPhone: Encodable {
            let label: String
            let locale: String
            let frequentPushesEnabled: Bool
        }
        let body = NewPhone(label: label, locale: locale, frequentPushesEnabled: frequentPushesEnabled)
        let phone: PhoneAnswer = try await http.write("POST", "api/phones", body, key: nil)
        return phone.phoneID
    }

    /// Starts a Live Activity on a phone.
    /// - Returns: the token that pushes for it go to.
    func start(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        on phoneID: UUID,
        heroName: String,
        partyName: String
    ) async throws -> Data {
        struct NewActivity: Encodable {
            let adventureID: AdventureID
            let activityID: ActivityID
            let heroName: String
            let partyName: String
        }
        let body = NewActivity(
            adventureID: adventureID,
            activityID: activityID,
            heroName: heroName,
            partyName: partyName
        )
        let path = "api/phones/\(phoneID.lowercaseText)/activities"
        let answer: NewActivityAnswer = try await http.write("POST", path, body, key: nil)
        return answer.pushToken.bytes
    }

    /// What the app on a phone is told of its running activities.
    func runningActivities(on phoneID: UUID) async throws -> RunningActivities {
        try await http.get("api/phones/\(phoneID.lowercaseText)/running-activities")
    }

    /// A phone as it is now.
    func phone(_ id: UUID) async throws -> PhoneAnswer {
        try await http.get("api/phones/\(id.lowercaseText)")
    }

    /// Every phone as it is now.
    public func phones() async throws -> [PhoneAnswer] {
        let list: PhoneList = try await http.get("api/phones")
        return list.phones
    }

    /// The number of the newest push; 0 before the first.
    public func lastPushNumber() async throws -> Int {
        let list: PushList = try await http.get("api/pushes", query: [URLQueryItem(name: "limit", value: "1")])
        return list.last
    }

    /// Every push that arrived after one.
    public func pushes(after number: Int) async throws -> [PushAnswer] {
        var pushes: [PushAnswer] = []
        while true {
            let after = pushes.last?.number ?? number
            let query = [URLQueryItem(name: "after", value: "\(after)")]
            let page: PushList = try await http.get("api/pushes", query: query)
            pushes += page.pushes
            guard let newest = page.pushes.last?.number, newest < page.last else { return pushes }
        }
    }

    /// Lets something go wrong with pushes; see the simulator's `POST /api/faults`.
    public func add(_ fault: PushFault) async throws {
        struct Added: Decodable {}
        let _: Added = try await http.write("POST", "api/faults", fault, key: nil)
    }

    /// Lets nothing go wrong any more.
    public func removeFaults() async throws {
        try await http.write("DELETE", "api/faults", Requester.noBody, key: nil)
    }

    /// Gives a running Live Activity another push token, as ActivityKit does when it likes.
    /// - Returns: the new token; the old one is dead.
    public func rotateToken(of activityID: ActivityID, on phoneID: UUID) async throws -> Data {
        let path =
            "api/phones/\(phoneID.lowercaseText)/activities/\(activityID.description.lowercased())/rotate"
        let answer: NewActivityAnswer = try await http.write("POST", path, Requester.noBody, key: nil)
        return answer.pushToken.bytes
    }

    /// Every violation there was.
    public func violations() async throws -> [ViolationAnswer] {
        let list: ViolationList = try await http.get("api/violations")
        return list.violations
    }
}

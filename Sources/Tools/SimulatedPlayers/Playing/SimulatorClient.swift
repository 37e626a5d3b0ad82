import Encodings
public import Foundation
public import GameCore
public import LiveActivityContent
import RangersClient

/// A client for the simulator's API.
public struct SimulatorClient: Sendable {
    private let http: Requester

    /// Creates a client for a simulator's address.
    public init(at url: URL) {
        // The simulator keeps running when the server fails, so nothing is retried.
        let configuration = RangersConfiguration(transport: PlayersTransport(), retryPolicy: .never)
        http = Requester(server: url, token: nil, configuration: configuration)
    }

    /// Adds a phone or tablet.
    /// - Parameters:
    ///   - label: the name on the page.
    ///   - locale: the locale, such as `ko`.
    ///   - frequentPushesEnabled: the setting for frequent pushes.
    ///   - owner: the player's name, under which the page groups devices; nil for no group.
    ///   - isTablet: whether it is an iPad, which has no Dynamic Island.
    ///   - liveActivitiesEnabled: the setting for Live Activities.
    /// - Returns: its identifier.
    /// - Throws: ``RangersError``.
    public func addPhone(
        label: String,
        locale: String,
        frequentPushesEnabled: Bool,
        owner: String? = nil,
        isTablet: Bool = false,
        liveActivitiesEnabled: Bool = true
    ) async throws -> UUID {
        struct NewPhone: Encodable {
            let label: String
            let locale: String
            let frequentPushesEnabled: Bool
            let liveActivitiesEnabled: Bool
            let owner: String?
            let model: String
        }
        let body = NewPhone(
            label: label,
            locale: locale,
            frequentPushesEnabled: frequentPushesEnabled,
            liveActivitiesEnabled: liveActivitiesEnabled,
            owner: owner,
            model: isTablet ? "iPad" : "iPhone"
        )
        let phone: PhoneResponse = try await http.write("POST", "api/phones", body, key: nil)
        return phone.phoneID
    }

    /// Starts a Live Activity on a phone.
    /// - Parameters:
    ///   - activityID: the identifier that the app chooses.
    ///   - adventureID: the adventure.
    ///   - phoneID: the phone.
    ///   - heroName: the attribute with the name of the player's hero.
    ///   - partyName: the attribute with the party's name.
    ///   - hero: the attribute with the player's hero; nil for none.
    ///   - playerNames: the attribute with the players' names; nil for none.
    ///   - channelID: the broadcast channel that it follows; nil for none.
    /// - Returns: its push token, which is of no use if it follows a channel.
    /// - Throws: ``RangersError``.
    public func start(
        _ activityID: ActivityID,
        of adventureID: AdventureID,
        on phoneID: UUID,
        heroName: String,
        partyName: String,
        hero: AdventureAttributes.Hero? = nil,
        playerNames: [String]? = nil,
        following channelID: String? = nil
    ) async throws -> Data {
        struct NewActivity: Encodable {
            let adventureID: AdventureID
            let activityID: ActivityID
            let heroName: String
            let partyName: String
            let hero: AdventureAttributes.Hero?
            let playerNames: [String]?
            let channelID: String?
        }
        let body = NewActivity(
            adventureID: adventureID,
            activityID: activityID,
            heroName: heroName,
            partyName: partyName,
            hero: hero,
            playerNames: playerNames,
            channelID: channelID
        )
        let path = "api/phones/\(phoneID.lowercaseText)/activities"
        let response: NewTokenResponse = try await http.write("POST", path, body, key: nil)
        return response.pushToken.bytes
    }

    /// Gives a channel a number of subscribers without a phone, in place of earlier ones.
    public func setSubscribers(of channelID: String, to count: Int) async throws {
        struct NewSubscribers: Encodable {
            let channelID: String
            let subscribers: Int
        }
        try await http.write(
            "PUT",
            "api/subscribers",
            NewSubscribers(channelID: channelID, subscribers: count),
            key: nil
        )
    }

    /// Switches Live Activities on, as the user does in Settings.
    func enableLiveActivities(on phoneID: UUID) async throws {
        let path = "api/phones/\(phoneID.lowercaseText)"
        let _: PhoneResponse = try await http.write("PATCH", path, ["liveActivitiesEnabled": true], key: nil)
    }

    /// Issues one of the app's tokens, as the system does at the app's request.
    /// - Parameters:
    ///   - kind: the kind of token, as in the simulator's API.
    ///   - phoneID: the phone.
    /// - Returns: the token; an earlier one of the same kind becomes invalid.
    /// - Throws: ``RangersError``.
    func issueToken(_ kind: String, on phoneID: UUID) async throws -> Data {
        let path = "api/phones/\(phoneID.lowercaseText)/\(kind)"
        let response: NewTokenResponse = try await http.write("POST", path, Requester.noBody, key: nil)
        return response.pushToken.bytes
    }

    /// Sets the content of a phone's widgets, as the app does after a reload.
    func draw(_ content: WidgetContent, on phoneID: UUID) async throws {
        try await http.write("PUT", "api/phones/\(phoneID.lowercaseText)/widgets", content, key: nil)
    }

    /// Returns the information that the system gives to the app on a phone about its running activities.
    func runningActivities(on phoneID: UUID) async throws -> RunningActivities {
        try await http.get("api/phones/\(phoneID.lowercaseText)/running-activities")
    }

    /// Returns a phone.
    func phone(_ id: UUID) async throws -> PhoneResponse {
        try await http.get("api/phones/\(id.lowercaseText)")
    }

    /// Returns all phones.
    public func phones() async throws -> [PhoneResponse] {
        let list: PhoneList = try await http.get("api/phones")
        return list.phones
    }

    /// Returns the number of the newest push; 0 before the first.
    public func lastPushNumber() async throws -> Int {
        let list: PushPage = try await http.get("api/pushes", query: [URLQueryItem(name: "limit", value: "1")])
        return list.last
    }

    /// Returns all pushes after a number.
    public func pushes(after number: Int) async throws -> [LoggedPush] {
        var pushes: [LoggedPush] = []
        while true {
            let after = pushes.last?.number ?? number
            let query = [URLQueryItem(name: "after", value: "\(after)")]
            let page: PushPage = try await http.get("api/pushes", query: query)
            pushes += page.pushes
            guard let newest = page.pushes.last?.number, newest < page.last else { return pushes }
        }
    }

    /// Adds a fault; see the simulator's `POST /api/faults`.
    public func add(_ fault: PushFault) async throws {
        struct Added: Decodable {}
        let _: Added = try await http.write("POST", "api/faults", fault, key: nil)
    }

    /// Removes all faults.
    public func removeFaults() async throws {
        try await http.write("DELETE", "api/faults", Requester.noBody, key: nil)
    }

    /// Rotates an activity's push token, as ActivityKit does at any time.
    /// - Returns: the new token; the old one is invalid.
    public func rotateToken(of activityID: ActivityID, on phoneID: UUID) async throws -> Data {
        let path =
            "api/phones/\(phoneID.lowercaseText)/activities/\(activityID.description.lowercased())/rotate"
        let response: NewTokenResponse = try await http.write("POST", path, Requester.noBody, key: nil)
        return response.pushToken.bytes
    }

    /// Returns all violations.
    public func violations() async throws -> [ViolationResponse] {
        let list: ViolationList = try await http.get("api/violations")
        return list.violations
    }
}

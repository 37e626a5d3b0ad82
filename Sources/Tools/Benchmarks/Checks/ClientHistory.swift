import Encodings
import Foundation
import GameCore
import Simulation

/// The responses that the clients of a run received, and the faults during the run.
struct ClientHistory: Sendable {
    /// One request that writes.
    struct Write: Sendable {
        /// The method, such as `POST`.
        let method: String
        /// The path, such as `/v1/adventures/ID/commands`.
        let path: String
        /// The `Idempotency-Key`; nil when the request takes none.
        let key: String?
        let body: Data
        /// The response's status; zero without a response.
        let status: Int
        /// The response's body; empty without a response.
        let response: Data
        /// The moment of the response, or of giving up.
        let at: Timestamp
        /// The client's player; nil before its registration.
        let playerID: PlayerID?
    }

    /// A loss of commits by the database.
    struct Loss: Sendable {
        /// From the beginning of the copy that came back until all nodes were ready afterwards: what was acknowledged
        /// meanwhile may be lost, and nothing else.
        let span: ClosedRange<Timestamp>
        /// When the copy had come back.
        let backAt: Timestamp
    }

    /// The subject of a write.
    enum Subject: Hashable, Sendable {
        /// A command in an adventure.
        case command(AdventureID)
        /// The start of an adventure.
        case adventure(AdventureID)
        /// The creation of a party.
        case party(PartyID)
        /// A member's departure from a party.
        case departure(PartyID)
        /// The registration of an activity or of its new token.
        case activity(ActivityReference)
        /// The registration of the client's device.
        case device(DeviceID)
        case other
    }

    /// The acknowledged writes, in any order; a key may occur several times.
    var writes: [Write] = []
    /// The writes without a response, or with one that the database may have lost, each of which may or may not have been applied.
    var inDoubt: [Write] = []
    /// When the database lost commits.
    var losses: [Loss] = []
    /// The activities that are not checked: dismissed, possibly not registered, or with a token that the service
    /// possibly does not know.
    var abandoned: Set<ActivityID> = []
    /// The number of requests that only members may make and that a stranger attempted.
    var intrusionAttempts = 0
    /// The successful attempts, as sentences.
    var intrusions: [String] = []
    /// The times of the faults, each until recovery.
    var disturbances: [ClosedRange<Timestamp>] = []

    /// The writes by subject.
    struct Index: Sendable {
        /// The acknowledged commands.
        var commands: [AdventureID: [Write]] = [:]
        /// The commands in doubt.
        var doubtfulCommands: [AdventureID: [Write]] = [:]
        /// The adventures that were started.
        var adventures: Set<AdventureID> = []
        /// The parties that were created and that no member may have left.
        var parties: Set<PartyID> = []
        /// The moments at which the service acknowledged each token of an activity, in any order.
        var activities: [ActivityReference: [Timestamp]] = [:]
        /// The devices that were registered, with their players.
        var devices: [DeviceID: PlayerID] = [:]
    }

    var index: Index {
        var index = Index()
        var left: Set<PartyID> = []
        for (write, isAcknowledged) in writes.map({ ($0, true) }) + inDoubt.map({ ($0, false) }) {
            switch write.subject {
            case .command(let id) where isAcknowledged: index.commands[id, default: []].append(write)
            case .command(let id): index.doubtfulCommands[id, default: []].append(write)
            case .departure(let id): left.insert(id)
            case .adventure(let id): if isAcknowledged { index.adventures.insert(id) }
            case .party(let id): if isAcknowledged { index.parties.insert(id) }
            case .activity(let name): if isAcknowledged { index.activities[name, default: []].append(write.at) }
            case .device(let id): if isAcknowledged { index.devices[id] = write.playerID }
            case .other: break
            }
        }
        index.parties.subtract(left)
        return index
    }
}

extension ClientHistory.Write {
    /// The identifier in the response to the creation of a party or the start of an adventure.
    private struct Created: Decodable {
        let partyID: PartyID?
        let adventureID: AdventureID?
    }

    /// The subject, by path and response.
    var subject: ClientHistory.Subject {
        let path = path.split(separator: "?").first ?? ""
        let words = path.split(separator: "/").map(String.init)
        guard words.first == "v1", words.count > 1 else { return .other }
        var created: Created? { try? JSONDecoder().decode(Created.self, from: response) }
        switch (method, words[1], words.count) {
        case ("POST", "adventures", 4) where words[3] == "commands":
            return AdventureID(words[2]).map { .command($0) } ?? .other
        case ("PUT", "adventures", 5) where words[3] == "activities":
            guard let adventureID = AdventureID(words[2]), let activityID = ActivityID(words[4]) else { return .other }
            return .activity(ActivityReference(adventureID: adventureID, activityID: activityID))
        case ("PUT", "players", 5) where words[3] == "devices":
            return DeviceID(words[4]).map { .device($0) } ?? .other
        case ("POST", "parties", 4) where words[3] == "adventures":
            return created?.adventureID.map { .adventure($0) } ?? .other
        case ("POST", "parties", 2):
            return created?.partyID.map { .party($0) } ?? .other
        case ("DELETE", "parties", 5) where words[3] == "members":
            return PartyID(words[2]).map { .departure($0) } ?? .other
        default: return .other
        }
    }

    /// The unique name of a command: keys are unique per player only.
    var name: String? {
        guard let key, let playerID else { return nil }
        return "\(playerID)/\(key)"
    }
}

/// The response to a command.
struct CommandResult: Decodable, Sendable {
    struct Event: Decodable, Sendable {
        let sequence: Int
        let kind: String
    }

    let events: [Event]
}

import Encodings
import Foundation
import GameCore

extension Acknowledged {
    /// What a write was about, as far as its path and its answer tell.
    enum Subject: Hashable, Sendable {
        /// A command in an adventure.
        case command(AdventureID)
        /// An adventure has begun.
        case adventure(AdventureID)
        /// A party was founded.
        case party(PartyID)
        /// Somebody has left a party, or was removed.
        case leaving(PartyID)
        /// A card was registered, or got another token.
        case card(ActivityName)
        /// Anything else.
        case other
    }

    /// Names a card.
    struct ActivityName: Hashable, Sendable {
        let adventureID: AdventureID
        let activityID: ActivityID
    }

    /// All that a verdict asks the store about, by what it is about.
    struct Ledger: Sendable {
        /// Acknowledged commands, by adventure.
        var commands: [AdventureID: [Write]] = [:]
        /// Commands that nobody was told about, by adventure.
        var doubtfulCommands: [AdventureID: [Write]] = [:]
        /// Adventures that began.
        var adventures: Set<AdventureID> = []
        /// Parties that were founded, without those that somebody may have left.
        var parties: Set<PartyID> = []
        /// Cards that were registered: when the service knew each of their tokens, in any order.
        var cards: [ActivityName: [Timestamp]] = [:]
    }

    /// The writes in order, so that each can be looked up where it belongs.
    var ledger: Ledger {
        var ledger = Ledger()
        var left: Set<PartyID> = []
        for write in writes {
            switch write.subject {
            case .command(let id): ledger.commands[id, default: []].append(write)
            case .adventure(let id): ledger.adventures.insert(id)
            case .party(let id): ledger.parties.insert(id)
            case .leaving(let id): left.insert(id)
            case .card(let name): ledger.cards[name, default: []].append(write.at)
            case .other: break
            }
        }
        for write in inDoubt {
            switch write.subject {
            case .command(let id): ledger.doubtfulCommands[id, default: []].append(write)
            case .leaving(let id): left.insert(id)
            case .adventure, .party, .card, .other: break
            }
        }
        ledger.parties.subtract(left)
        return ledger
    }
}

extension Acknowledged.Write {
    private struct FoundedParty: Decodable { let partyID: PartyID }
    private struct BegunAdventure: Decodable { let adventureID: AdventureID }

    /// What it was about.
    var subject: Acknowledged.Subject {
        let path = path.split(separator: "?").first ?? ""
        let words = path.split(separator: "/").map(String.init)
        guard words.first == "v1", words.count > 1 else { return .other }
        switch (method, words[1], words.count) {
        case ("POST", "adventures", 4) where words[3] == "commands":
            return AdventureID(words[2]).map { .command($0) } ?? .other
        case ("PUT", "adventures", 5) where words[3] == "activities":
            guard let adventureID = AdventureID(words[2]), let activityID = ActivityID(words[4]) else { return .other }
            return .card(Acknowledged.ActivityName(adventureID: adventureID, activityID: activityID))
        case ("POST", "parties", 4) where words[3] == "adventures":
            let begun = try? JSONDecoder().decode(BegunAdventure.self, from: answer)
            return begun.map { .adventure($0.adventureID) } ?? .other
        case ("POST", "parties", 2):
            let founded = try? JSONDecoder().decode(FoundedParty.self, from: answer)
            return founded.map { .party($0.partyID) } ?? .other
        case ("DELETE", "parties", 5) where words[3] == "members":
            return PartyID(words[2]).map { .leaving($0) } ?? .other
        default:
            return .other
        }
    }

    /// What tells a command from all others: keys are each player's own.
    var name: String? {
        guard let key, let playerID else { return nil }
        return "\(playerID)/\(key)"
    }
}

/// What an answer to a command says of the log.
struct AnsweredCommand: Decodable, Sendable {
    struct Happening: Decodable, Sendable {
        let sequence: Int
        let kind: String
    }

    let events: [Happening]
}

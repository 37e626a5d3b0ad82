import GameCore

/// A player who has just registered.
struct RegisteredPlayer: Decodable {
    let playerID: PlayerID
    let token: String
}

/// A party as its members see it.
struct PartyAnswer: Decodable {
    let partyID: PartyID
    let inviteCode: String
}

/// A page of an adventure's events.
struct EventPage: Decodable {
    let events: [StoryEvent]
    /// Where the next page begins; nil when this is the last for now.
    let next: Int?
}

/// A Live Activity that the server knows now.
struct RegisteredActivity: Decodable {
    let registeredAt: Timestamp

    private enum CodingKeys: CodingKey {
        case registeredAt
    }

    init(from decoder: any Decoder) throws {
        registeredAt = try decoder.container(keyedBy: CodingKeys.self).decodeMoment(forKey: .registeredAt)
    }
}

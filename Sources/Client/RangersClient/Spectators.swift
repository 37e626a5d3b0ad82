public import GameCore

extension PlayerClient {
    /// Opens a party to spectators, until it is closed to them or disbanded, or gets another leader.
    /// - Parameter party: a party that the player leads.
    /// - Returns: the link, which stays the same as long as the player's token does. A person who has it can watch.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func openToSpectators(_ party: PartyID) async throws -> SpectatorsLink {
        try await http.write("POST", "v1/parties/\(party)/spectators", Requester.noBody, key: nil)
    }

    /// Closes a party to spectators: the link is worth nothing from then on.
    /// - Parameter party: a party that the player leads.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func closeToSpectators(_ party: PartyID) async throws {
        try await http.write("DELETE", "v1/parties/\(party)/spectators", Requester.noBody, key: nil)
    }
}

extension RangersServer {
    /// Returns what spectators see of a party; they need no account.
    /// - Parameter link: ``SpectatorsLink/link``.
    /// - Returns: the running adventure, and the channels for Live Activities.
    /// - Throws: ``RangersError``, with the problem ``ProblemType/unknownLink`` if the party is closed to spectators;
    ///   `CancellationError`.
    public func watch(_ link: String) async throws -> WatchedParty {
        try await http(for: nil).get("v1/spectators/\(link)")
    }

    /// Returns the events of the running adventure of a party that spectators watch, as they happen, until it ends.
    ///
    /// Some events are only for members, so the sequence numbers may have gaps. The stream ends at once if the party is on no
    /// adventure.
    /// - Parameters:
    ///   - link: ``SpectatorsLink/link``.
    ///   - sequence: the sequence number of the last known event; 0 for none.
    /// - Returns: the stream, which connects when iteration begins.
    public func events(watchedBy link: String, after sequence: Int = 0) -> AdventureStream {
        AdventureStream(http: http(for: nil), path: "v1/spectators/\(link)/events", hasGaps: true, after: sequence)
    }

    /// Follows a party that spectators watch, through all of its adventures, until it is closed to spectators.
    ///
    /// Between adventures it asks for the next one in intervals.
    /// - Parameters:
    ///   - link: ``SpectatorsLink/link``.
    ///   - interval: the time between two requests while the party is on no adventure.
    ///   - show: shows what is known of the party, and the event that happened, if one did. An event with the sequence number 1
    ///     begins the list of events anew. After the end of an adventure its last state stays until the next request.
    /// - Throws: ``RangersError``, with the problem ``ProblemType/unknownLink`` if the party is closed to spectators;
    ///   `CancellationError`.
    public func follow(
        _ link: String,
        every interval: Duration = .seconds(5),
        _ show: (WatchedParty, EventResponse?) async -> Void
    ) async throws {
        while true {
            var watched = try await watch(link)
            await show(watched, nil)
            // The stream of an adventure that is over would only repeat its events.
            if let adventure = watched.adventure, adventure.outcome == nil {
                for try await event in events(watchedBy: link) {
                    if event.sequence > watched.adventure?.sequence ?? 0 || event.sequence == 1 {
                        let newest = try await watch(link)
                        if newest.adventure != nil { watched = newest }
                    }
                    await show(watched, event)
                }
            }
            try await http(for: nil).configuration.clock.sleep(for: interval)
        }
    }
}

/// The link with which anyone can watch a party.
public struct SpectatorsLink: Decodable, Hashable, Sendable {
    /// The secret; see ``RangersServer/watch(_:)``.
    public let link: String
    /// The broadcast channels of APNs that exist, by environment.
    public let channels: [String: String]
}

/// What spectators see of a party.
public struct WatchedParty: Decodable, Hashable, Sendable {
    /// The running adventure; nil for none.
    public let adventure: WatchedAdventure?
    /// The broadcast channels of APNs that exist, by environment: for `Activity.request(… pushType: .channel(…))`.
    public let channels: [String: String]
}

/// An adventure as spectators see it.
public struct WatchedAdventure: Decodable, Hashable, Sendable {
    /// A hero.
    public struct Hero: Decodable, Hashable, Sendable {
        /// The hero's index in ``WatchedAdventure/heroes``.
        public let seat: Seat
        /// The hero of the catalogue, with its level.
        public let hero: HeroResponse
        /// The current health; 0 if the hero is down.
        public let health: Int
        /// The full health.
        public let maximumHealth: Int
        /// The current health as a fraction of the full health, 0…1.
        public let healthLevel: Double
        /// Whether the hero is down.
        public let isDown: Bool
        /// Whether the player has left the party.
        public let hasLeft: Bool
    }

    /// The adventure's identifier.
    public let adventureID: AdventureID
    /// The kind of adventure.
    public let kind: OpenEnum<AdventureKind>
    /// The number of ticks played.
    public let tick: Int
    /// The heroes in the order of their seats.
    public let heroes: [Hero]
    /// The boss; nil on a journey.
    public let boss: AdventureResponse.Boss?
    /// The current turn; nil on a journey and after the end of a fight.
    public let turn: AdventureResponse.Turn?
    /// The region of a journey; nil in a fight.
    public let region: RegionID?
    /// The current location of a journey; nil in a fight.
    public let location: LocationID?
    /// The progress of a journey; nil in a fight.
    public let progress: AdventureResponse.Progress?
    /// The foe that blocks a journey; nil if there is none.
    public let foe: AdventureResponse.Foe?
    /// The sequence number of the newest event.
    public let sequence: Int
    /// The outcome of the adventure; nil while it has not ended.
    public let outcome: OpenEnum<AdventureOutcome>?
}

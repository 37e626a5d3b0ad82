package import Encodings
import Foundation
package import GameCore
package import GameLog
import GameStore

/// The opening of an adventure, prepared for storing: many parties can share it.
package struct FixtureOpening: Sendable {
    /// The adventure before any input.
    package let adventure: Adventure
    /// The number of ticks until it ends without inputs.
    package let ticks: Int
    /// The encoded adventure.
    let encoded: String

    /// Plays an opening to its end, to count its ticks.
    package init(_ adventure: Adventure) {
        self.adventure = adventure
        encoded = adventure.encoded
        var events: [AdventureEvent] = []
        let start = Timestamp(epochSeconds: 0)
        // Only the order of a raid's blows depends on the identifier.
        let id = AdventureID(rawValue: UUID())
        let timeline = Timeline(starting: adventure, of: id, at: start, interval: .seconds(1), appendingTo: &events)
        ticks = Int((timeline.end - start) / .seconds(1))
    }
}

/// A party with a running adventure without inputs, and the Live Activities that show it, ready to be stored.
package struct FixtureParty: Sendable {
    /// The party's identifier.
    ///
    /// Its last byte is the shard.
    let id: PartyID
    /// The adventure's identifier, of the same shard.
    package let adventureID: AdventureID
    let opening: FixtureOpening
    /// When the adventure started.
    package let startedAt: Timestamp
    /// The tick interval of a journey, or the length of a fight's turns.
    let interval: Duration
    /// The Live Activities that show the adventure.
    let activities: [Activity]
    /// The encoded decision records of each activity; nil for none.
    let decisions: [UInt8]?

    /// Creates a party.
    /// - Parameters:
    ///   - id: the party's identifier.
    ///   - adventureID: the adventure's identifier, of the same shard.
    ///   - opening: the adventure's opening. The players of its heroes become the members, the first of them the leader.
    ///   - startedAt: when the adventure started.
    ///   - interval: the tick interval of a journey, or the length of a fight's turns.
    ///   - activities: Live Activities of the adventure.
    ///   - decisions: the encoded decision records that each activity gets; nil for none.
    package init(
        id: PartyID,
        adventureID: AdventureID,
        opening: FixtureOpening,
        startedAt: Timestamp,
        interval: Duration,
        activities: [Activity] = [],
        decisions: [UInt8]? = nil
    ) {
        self.id = id
        self.adventureID = adventureID
        self.opening = opening
        self.startedAt = startedAt
        self.interval = interval
        self.activities = activities
        self.decisions = decisions
    }

    /// When the adventure ends without inputs.
    ///
    /// The limit of a raid fight does not depend on the length of its turns.
    var endsAt: Timestamp {
        startedAt + (opening.adventure.kind == .raid ? .seconds(1) : interval) * opening.ticks
    }
}

package import GameCore
package import GameStore

/// A party with a running adventure and the Live Activities that show it, ready to be stored.
package struct FixtureParty: Sendable {
    /// The party's identifier.
    ///
    /// Its last byte is the shard.
    package let id: PartyID
    /// The party's running adventure.
    package let adventure: StoredAdventure
    /// The adventure before any input.
    let opening: Adventure
    /// The Live Activities that show the adventure.
    let activities: [Activity]
    /// The encoded decision records of each activity; nil for none.
    let decisions: [UInt8]?

    /// Creates a party.
    /// - Parameters:
    ///   - id: the party's identifier.
    ///   - adventure: a running adventure of the same shard. The players of its heroes become the members, the first of
    ///     them the leader.
    ///   - opening: the adventure before any input.
    ///   - activities: Live Activities of the adventure.
    ///   - decisions: the encoded decision records that each activity gets; nil for none.
    package init(
        id: PartyID,
        adventure: StoredAdventure,
        opening: Adventure,
        activities: [Activity] = [],
        decisions: [UInt8]? = nil
    ) {
        self.id = id
        self.adventure = adventure
        self.opening = opening
        self.activities = activities
        self.decisions = decisions
    }
}

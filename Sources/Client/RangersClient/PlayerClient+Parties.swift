public import GameCore

extension PlayerClient {
    /// Makes a party, which the player leads.
    /// - Parameters:
    ///   - name: what its members read.
    ///   - capacity: how many may be in it, 8 at most; nil for as many.
    ///   - key: nil for a new one.
    /// - Returns: the party, with the invite code for companions.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func createParty(
        named name: String,
        capacity: Int? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> PartyAnswer {
        struct NewParty: Encodable {
            let name: String
            let capacity: Int?
        }
        return try await http.write("POST", "v1/parties", NewParty(name: name, capacity: capacity), key: key)
    }

    /// Joins a party; for who is in it already that is fine.
    /// - Parameters:
    ///   - inviteCode: as a person types it.
    ///   - key: nil for a new one.
    /// - Returns: the party with the player in it.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func join(_ inviteCode: String, key: IdempotencyKey? = nil) async throws -> PartyAnswer {
        try await http.write("POST", "v1/parties/join", ["inviteCode": inviteCode], key: key)
    }

    /// A party of the player.
    public func party(_ id: PartyID) async throws -> PartyAnswer {
        try await http.get("v1/parties/\(id)")
    }

    /// Every party that the player is in.
    public func parties() async throws -> [PartyAnswer] {
        let list: PartyList = try await http.get("v1/players/me/parties")
        return list.parties
    }

    /// Leaves a party, or lets its leader remove somebody.
    /// - Parameters:
    ///   - member: the player, or whom the leader removes.
    ///   - party: from where.
    ///   - version: of the party, as the player has seen it: another one is not changed; nil for whichever there is.
    ///   - key: nil for a new one.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func remove(
        _ member: PlayerID,
        from party: PartyID,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey? = nil
    ) async throws {
        let path = "v1/parties/\(party)/members/\(member)"
        try await http.write("DELETE", path, Requester.noBody, ifVersion: version, key: key)
    }

    /// Lets another member lead.
    /// - Parameters:
    ///   - party: which the player leads.
    ///   - member: who is to lead it.
    ///   - version: of the party, as the player has seen it: another one is not changed; nil for whichever there is.
    ///   - key: nil for a new one.
    /// - Returns: the party with its new leader.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func handOver(
        _ party: PartyID,
        to member: PlayerID,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> PartyAnswer {
        let path = "v1/parties/\(party)/leader"
        return try await http.write("POST", path, ["playerID": member], ifVersion: version, key: key)
    }

    /// Replaces the invite code; the old one dies.
    /// - Parameters:
    ///   - party: which the player leads.
    ///   - version: of the party, as the player has seen it: another one is not changed; nil for whichever there is.
    ///   - key: nil for a new one.
    /// - Returns: the party with its new code.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func renewInviteCode(
        of party: PartyID,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> PartyAnswer {
        let path = "v1/parties/\(party)/invite-code"
        return try await http.write("POST", path, Requester.noBody, ifVersion: version, key: key)
    }
}

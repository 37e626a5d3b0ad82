public import GameCore

extension PlayerClient {
    /// Creates a party that the player leads.
    /// - Parameters:
    ///   - name: the name of the party, which its members see.
    ///   - capacity: the maximum number of members, at most 8; nil for 8.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the party, with the invite code for companions.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func createParty(
        named name: String,
        capacity: Int? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> PartyResponse {
        struct NewParty: Encodable {
            let name: String
            let capacity: Int?
        }
        return try await http.write("POST", "v1/parties", NewParty(name: name, capacity: capacity), key: key)
    }

    /// Joins a party.
    ///
    /// Joining a party that the player is already in has no effect.
    /// - Parameters:
    ///   - inviteCode: the invite code as the person typed it.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the party with the player in it.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func join(_ inviteCode: String, key: IdempotencyKey? = nil) async throws -> PartyResponse {
        try await http.write("POST", "v1/parties/join", ["inviteCode": inviteCode], key: key)
    }

    /// Returns a party that the player is in.
    public func party(_ id: PartyID) async throws -> PartyResponse {
        try await http.get("v1/parties/\(id)")
    }

    /// Returns all parties that the player is in.
    public func parties() async throws -> [PartyResponse] {
        let list: PartyList = try await http.get("v1/players/me/parties")
        return list.parties
    }

    /// Removes a member from a party: the player leaves it, or its leader removes another member.
    /// - Parameters:
    ///   - member: the player, or the member to remove.
    ///   - party: the party.
    ///   - version: the expected version; the server rejects the change if the party has another one. Nil for any
    ///     version.
    ///   - key: an idempotency key; nil for a new one.
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

    /// Makes another member the leader of a party.
    /// - Parameters:
    ///   - party: a party that the player leads.
    ///   - member: the new leader.
    ///   - version: the expected version; the server rejects the change if the party has another one. Nil for any
    ///     version.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the party with its new leader.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func handOver(
        _ party: PartyID,
        to member: PlayerID,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> PartyResponse {
        let path = "v1/parties/\(party)/leader"
        return try await http.write("POST", path, ["playerID": member], ifVersion: version, key: key)
    }

    /// Replaces the invite code of a party.
    ///
    /// The old code becomes invalid.
    /// - Parameters:
    ///   - party: a party that the player leads.
    ///   - version: the expected version; the server rejects the change if the party has another one. Nil for any
    ///     version.
    ///   - key: an idempotency key; nil for a new one.
    /// - Returns: the party with its new code.
    /// - Throws: ``RangersError``; `CancellationError`.
    public func renewInviteCode(
        of party: PartyID,
        ifVersion version: Int64? = nil,
        key: IdempotencyKey? = nil
    ) async throws -> PartyResponse {
        let path = "v1/parties/\(party)/invite-code"
        return try await http.write("POST", path, Requester.noBody, ifVersion: version, key: key)
    }
}

import GameCore
import HTTPServing

/// The body of `POST /v1/parties`: `{name, capacity?}`.
struct NewPartyBody: RequestFields {
    let name: Name
    let capacity: Int

    init?(_ fields: inout Fields) {
        let name = fields.required("name", .name)
        capacity = fields.optional("capacity", .integer(in: 1...Party.maxCapacity)) ?? Party.maxCapacity
        guard let name else { return nil }
        self.name = name
    }
}

/// The body of `POST /v1/parties/join`: `{inviteCode}`.
struct JoinBody: RequestFields {
    /// The code as a person typed it.
    ///
    /// A malformed code counts as an unknown one.
    let inviteCode: String

    init?(_ fields: inout Fields) {
        guard let inviteCode = fields.required("inviteCode", .text) else { return nil }
        self.inviteCode = inviteCode
    }
}

/// The body of `POST …/leader`: `{playerID}`.
struct NewLeaderBody: RequestFields {
    let playerID: PlayerID

    init?(_ fields: inout Fields) {
        guard let playerID = fields.required("playerID", FieldReader<PlayerID>.id) else { return nil }
        self.playerID = playerID
    }
}

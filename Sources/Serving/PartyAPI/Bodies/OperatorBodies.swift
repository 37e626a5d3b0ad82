import Encodings
import GameCore
import GameStore
import HTTPServing
import PushRules

/// The body of `POST /admin/v1/boss-fights`: `{boss, partyID | inviteCode}`.
struct NewBossFightBody: RequestFields {
    enum PartyReference {
        case id(PartyID)
        /// An invite code as a person typed it.
        case inviteCode(String)
    }

    let boss: BossID
    let party: PartyReference

    init?(_ fields: inout Fields) {
        let boss = fields.required("boss", FieldReader<BossID>.entry(of: BossCatalogue.self))
        let id = fields.optional("partyID", FieldReader<PartyID>.id)
        let code = fields.optional("inviteCode", .text)
        switch (id, code) {
        case (let id?, nil): party = .id(id)
        case (nil, let code?): party = .inviteCode(code)
        case (nil, nil), (.some, .some):
            let isRejectedAlready = fields.errors.contains { ["partyID", "inviteCode"].contains($0.field) }
            if !isRejectedAlready {
                fields.reject("partyID", "is required unless 'inviteCode' is present; they exclude each other")
            }
            return nil
        }
        guard let boss else { return nil }
        self.boss = boss
    }
}

/// The body of `POST /admin/v1/campaigns`: `{name, boss, run?, after?, limit?, dryRun?}`.
struct CampaignStepBody: RequestFields {
    /// The allowed number of parties per step.
    ///
    /// The maximum takes about a second.
    static let limits = 1...100

    let name: String
    let boss: BossID
    let run: CampaignRunID?
    let after: PartyID?
    let limit: Int
    let isDryRun: Bool

    init?(_ fields: inout Fields) {
        let name = fields.required("name", .campaignName)
        let boss = fields.required("boss", FieldReader<BossID>.entry(of: BossCatalogue.self))
        run = fields.optional("run", FieldReader<CampaignRunID>.id)
        after = fields.optional("after", FieldReader<PartyID>.id)
        limit = fields.optional("limit", .integer(in: Self.limits)) ?? Self.limits.upperBound
        isDryRun = fields.optional("dryRun", .boolean) ?? false
        guard let name, let boss else { return nil }
        (self.name, self.boss) = (name, boss)
    }
}

/// The body of operators' requests that change a player: `{reason}`.
struct ReasonBody: RequestFields {
    private static let maxBytes = 500

    let reason: String

    init?(_ fields: inout Fields) {
        guard let reason = fields.required("reason", .text(maxBytes: Self.maxBytes)) else { return nil }
        self.reason = reason
    }
}

/// The body of `POST /admin/v1/players/{playerID}/rename`: `{displayName, reason}`.
struct RenamingBody: RequestFields {
    let displayName: Name
    let reason: String

    init?(_ fields: inout Fields) {
        let displayName = fields.required("displayName", .name)
        let body = ReasonBody(&fields)
        guard let displayName, let body else { return nil }
        (self.displayName, reason) = (displayName, body.reason)
    }
}

/// The body of `POST /admin/v1/pushes`: `{deviceToken, event, environment?, priority?}`.
struct TestPushBody: RequestFields {
    private static let priorities = 5...10
    /// The token lengths that apps may register.
    private static let tokenBytes = 1...256

    let deviceToken: [UInt8]
    let event: SamplePush.Event
    let environment: PushEnvironment?
    let isUrgent: Bool

    init?(_ fields: inout Fields) {
        let token = fields.required("deviceToken", .hexadecimal(byteCount: Self.tokenBytes))
        let event = fields.required("event", FieldReader<SamplePush.Event>.oneOfItsCases)
        environment = fields.optional("environment", .oneOfItsCases)
        let priority = fields.optional("priority", .integer(in: Self.priorities)) ?? Self.priorities.upperBound
        if priority != Self.priorities.lowerBound, priority != Self.priorities.upperBound {
            fields.reject("priority", "must be 5 or 10")
        }
        guard let token, let event else { return nil }
        (deviceToken, self.event, isUrgent) = (token, event, priority == Self.priorities.upperBound)
    }
}

/// The body of `POST /admin/v1/operators`: `{name, role, lifetimeHours?}`.
struct NewOperatorBody: RequestFields {
    let name: String
    let role: Operator.Role
    let lifetimeHours: Int?

    init?(_ fields: inout Fields) {
        let name = fields.required("name", .operatorName)
        let role = fields.required("role", FieldReader<Operator.Role>.oneOfItsCases)
        lifetimeHours = fields.optional("lifetimeHours", .tokenLifetimeHours)
        guard let name, let role else { return nil }
        (self.name, self.role) = (name, role)
    }
}

/// The body of `POST /admin/v1/operators/{name}/rotate`: `{lifetimeHours? | neverExpires?}`.
struct TokenRotationBody: RequestFields {
    let lifetime: Operator.ReplacementLifetime

    init?(_ fields: inout Fields) {
        let hours = fields.optional("lifetimeHours", .tokenLifetimeHours)
        let neverExpires = fields.optional("neverExpires", .boolean) ?? false
        switch (hours, neverExpires) {
        case (nil, false): lifetime = .unchanged
        case (nil, true): lifetime = .unlimited
        case (let hours?, false): lifetime = .limited(.seconds(hours * 3_600))
        case (.some, true):
            fields.reject("neverExpires", "must not be true if 'lifetimeHours' is present")
            return nil
        }
    }
}

/// The rule for the names of operators, of characters that need no quotation in command lines and logs.
enum OperatorNameRule {
    static let text = "1 to 64 letters, digits, hyphens, underscores, periods and at signs in ASCII"

    static func matches(_ name: String) -> Bool { name.wholeMatch(of: /[A-Za-z0-9_.@-]{1,64}/) != nil }
}

extension FieldReader where Value == String {
    fileprivate static var operatorName: Self {
        string(OperatorNameRule.text) { OperatorNameRule.matches($0) ? $0 : nil }
    }
}

extension FieldReader where Value == Int {
    /// A reader of lifetimes of tokens, at most ten years.
    fileprivate static var tokenLifetimeHours: Self { integer(in: 1...3_650 * 24) }
}

import GameCore
import HTTPServing

/// The body of `POST /v1/players`: `{displayName, hero}`.
struct NewPlayerBody: RequestFields {
    let displayName: Name
    let hero: HeroID

    init?(_ fields: inout Fields) {
        let displayName = fields.required("displayName", .name)
        let hero = fields.required("hero", FieldReader<HeroID>.entry(of: HeroCatalogue.self))
        guard let displayName, let hero else { return nil }
        self.displayName = displayName
        self.hero = hero
    }
}

/// The body of `PATCH /v1/players/me`: `{displayName?, hero?, namedInLeaderboards?}`.
struct ProfileBody: RequestFields {
    let displayName: Name?
    let hero: HeroID?
    let namedInLeaderboards: Bool?

    init?(_ fields: inout Fields) {
        displayName = fields.optional("displayName", .name)
        hero = fields.optional("hero", FieldReader<HeroID>.entry(of: HeroCatalogue.self))
        namedInLeaderboards = fields.optional("namedInLeaderboards", .boolean)
    }
}

/// The body of `POST /v1/players/recover`: `{recoveryCode}`.
struct RecoveryBody: RequestFields {
    /// The code; nil if the text has not the form of a code, and so is an unknown one.
    let recoveryCode: RecoveryCode?

    init?(_ fields: inout Fields) {
        guard let text = fields.required("recoveryCode", .text) else { return nil }
        recoveryCode = RecoveryCode(typed: text)
    }
}

/// The body of `POST /v1/players/sign-in` and `PUT /v1/players/me/apple-account`: `{identityToken, nonce}`.
struct AppleBody: RequestFields {
    /// The maximum length of an identity token; Apple's have fewer than 1,000 bytes.
    private static let maxTokenBytes = 4096
    private static let maxNonceBytes = 256

    let identityToken: String
    let nonce: String

    init?(_ fields: inout Fields) {
        let identityToken = fields.required("identityToken", .text(maxBytes: Self.maxTokenBytes))
        let nonce = fields.required("nonce", .text(maxBytes: Self.maxNonceBytes))
        guard let identityToken, let nonce else { return nil }
        self.identityToken = identityToken
        self.nonce = nonce
    }
}

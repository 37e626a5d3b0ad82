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

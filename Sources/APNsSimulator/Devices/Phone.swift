/// A phone with the app on it.
struct Phone: Sendable {
    let id: Identifier<Phone>
    /// What the page calls it, such as its owner's name.
    let label: String
    /// BCP 47, such as `ko` or `pt-BR`.
    let locale: String
    /// What the app would learn from `ActivityAuthorizationInfo`.
    let frequentPushesEnabled: Bool
    /// In the order in which they started.
    var activities: [PhoneActivity] = []
    /// Grows with every change, so that a reader of two views knows the newer one.
    var revision = 0
}

/// A provider token that is in order, but perhaps too old.
struct ProviderToken: Equatable, Sendable {
    /// The JSON Web Token as it came.
    let text: Substring
    /// `kid`.
    let keyID: String
    /// `iss`.
    let teamID: String
    /// `iat`, in UNIX seconds.
    let issuedAt: Int64
}

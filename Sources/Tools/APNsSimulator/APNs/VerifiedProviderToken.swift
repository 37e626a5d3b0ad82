/// A provider token with a valid signature; its age is still to be checked.
struct VerifiedProviderToken: Equatable, Sendable {
    /// The JSON Web Token as received.
    let text: Substring
    /// `kid`.
    let keyID: String
    /// `iss`.
    let teamID: String
    /// `iat`, in UNIX seconds.
    let issuedAt: Int64
}

/// A provider token with a valid signature, whose age has not been checked.
struct VerifiedProviderToken: Equatable, Sendable {
    /// The JSON Web Token as received.
    let text: Substring
    /// The identifier of the key: the `kid`.
    let keyID: String
    /// The identifier of the team: the `iss`.
    let teamID: String
    /// The time of issue: the `iat`, in UNIX seconds.
    let issuedAt: Int64
}

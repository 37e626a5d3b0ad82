/// The certificate authorities that a client trusts.
///
/// Verification cannot be disabled.
public enum TLSTrust: Hashable, Sendable {
    /// The system's certificate authorities (`ca-certificates` on Debian).
    case system
    /// Only the authorities of a PEM file.
    case file(path: String)
    /// Only the authorities of a PEM text.
    case authorities(pem: String)
}

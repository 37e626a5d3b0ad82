/// Which authorities a client believes.
///
/// There is no way to believe everyone.
public enum TLSTrust: Hashable, Sendable {
    /// The system's certificate authorities (`ca-certificates` on Debian).
    case system
    /// The authorities of a PEM file, and no others.
    case file(path: String)
    /// The authorities of a PEM text, and no others.
    case authorities(pem: String)
}

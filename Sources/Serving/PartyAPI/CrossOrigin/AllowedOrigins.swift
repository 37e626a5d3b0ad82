/// The web pages, by their origins, whose scripts may use the players' API from a browser.
public enum AllowedOrigins: Hashable, Sendable {
    /// Those of every page.
    case all
    /// Those of pages with one of these origins: scheme, host and port, as browsers write it.
    case these(Set<String>)

    /// Whether an origin is as browsers write it (RFC 6454, section 6.2): `https://play.example.com`, without the scheme's
    /// own port, without a path, in lower case.
    public static func isOrigin(_ text: String) -> Bool {
        guard let match = text.wholeMatch(of: /(https?):\/\/([a-z0-9.\-]+|\[[0-9a-f:.]+\])(?::([1-9][0-9]{0,4}))?/)
        else {
            return false
        }
        guard let port = match.3 else { return true }
        return Int(port).map { $0 <= 65_535 } == true && port != (match.1 == "https" ? "443" : "80")
    }

    func contains(_ origin: String) -> Bool {
        switch self {
        case .all: true
        case .these(let origins): origins.contains(origin)
        }
    }
}

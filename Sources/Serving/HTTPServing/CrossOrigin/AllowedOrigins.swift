/// The origins of web pages whose scripts may call the players' API.
public enum AllowedOrigins: Hashable, Sendable {
    /// Every origin.
    case all
    /// Only these origins: scheme, host and port as browsers serialize them.
    case listed(Set<String>)

    /// Returns whether a text is an origin in the form of browsers (RFC 6454, section 6.2), such as
    /// `https://play.example.com`: lower case, without a path, and without the scheme's default port.
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
        case .listed(let origins): origins.contains(origin)
        }
    }
}

import Foundation

/// A server's URI without the password, and the password.
struct ServerAddress {
    /// The URI as it was, but for the password.
    let uri: String
    /// Nil when the URI has none.
    let password: String?

    /// Takes a URI apart.
    /// - Throws: ``TestServerError`` when it is none.
    init(uri: String) throws {
        guard var components = URLComponents(string: uri) else { throw TestServerError("not the URI of a server") }
        // libpq takes it in either place, and the parameter before the other.
        let parameter = components.queryItems?.last { $0.name == "password" }?.value
        password = parameter ?? components.password
        components.password = nil
        if parameter != nil {
            let others = (components.queryItems ?? []).filter { $0.name != "password" }
            components.queryItems = others.isEmpty ? nil : others
        }
        guard let uri = components.string else { throw TestServerError("not the URI of a server") }
        self.uri = uri
    }
}

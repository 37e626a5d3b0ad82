import Foundation

/// A database URI, separated into the password and the rest.
struct DatabaseAddress {
    /// The URI without the password.
    let uri: String
    /// The password; nil for a URI without one.
    let password: String?

    /// Separates the password from the rest of a URI.
    /// - Throws: ``PrivatePostgresError`` for a malformed URI.
    init(uri: String) throws {
        guard var components = URLComponents(string: uri) else { throw PrivatePostgresError("malformed database URI") }
        // libpq accepts both places, and the parameter takes precedence.
        let parameter = components.queryItems?.last { $0.name == "password" }?.value
        password = parameter ?? components.password
        components.password = nil
        if parameter != nil {
            let others = (components.queryItems ?? []).filter { $0.name != "password" }
            components.queryItems = others.isEmpty ? nil : others
        }
        guard let uri = components.string else { throw PrivatePostgresError("malformed database URI") }
        self.uri = uri
    }
}

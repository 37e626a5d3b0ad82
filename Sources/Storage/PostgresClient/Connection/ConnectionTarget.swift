import CLibpq

/// The target of a connection, validated before libpq sees it.
struct ConnectionTarget {
    /// A libpq URI, or a string of keywords and values.
    let uri: String
    /// The name shown in `pg_stat_activity`, unless the URI sets another.
    let applicationName: String

    /// The keywords and values of the connection attempt.
    var options: [(keyword: String, value: String)] {
        [
            // libpq expands a whole URI given as `dbname`; keywords that follow override its parts.
            ("dbname", uri),
            ("fallback_application_name", applicationName),
            ("client_encoding", "UTF8"),
        ]
    }

    /// Rejects a URI that libpq cannot parse, without quoting it.
    ///
    /// libpq's messages about a malformed URI repeat parts of it, including the password. libpq takes an unescaped `@`
    /// or `/` in the password for the start of the host or path, and repeats the rest of the password when it cannot
    /// resolve that host.
    func validate() throws(PostgresError) {
        guard isUnambiguous else {
            throw .cannotConnect(reason: "the URI's password contains '@' or '/'; write %40 and %2F instead")
        }
        guard let options = unsafe PQconninfoParse(uri, nil) else {
            throw .cannotConnect(reason: "the URI is malformed; it is not shown because it may contain a password")
        }
        unsafe PQconninfoFree(options)
    }

    /// Whether the authority has at most one `@` and the path has none.
    private var isUnambiguous: Bool {
        guard let scheme = ["postgresql://", "postgres://"].first(where: uri.hasPrefix) else { return true }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count).prefix { $0 != "?" }
        return authority.count(where: { $0 == "@" }) <= 1 && !path.contains("@")
    }
}

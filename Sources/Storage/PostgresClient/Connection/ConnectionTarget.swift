import CLibpq

/// Where a connection goes, checked before libpq sees it.
struct ConnectionTarget {
    /// A libpq URI, or a string of keywords and values.
    let uri: String
    /// What `pg_stat_activity` shows, unless the URI says otherwise.
    let applicationName: String

    /// The keywords and values that a connection is started with.
    var options: [(keyword: String, value: String)] {
        [
            // In this place libpq takes a whole URI, whose parts come before what follows only if they are not given again.
            ("dbname", uri),
            ("fallback_application_name", applicationName),
            ("client_encoding", "UTF8"),
        ]
    }

    /// Refuses a URI that libpq cannot take apart, without quoting it.
    ///
    /// libpq's own sentences about such a URI repeat parts of it, among them the password. An unescaped `@` or `/` in
    /// the password is understood by libpq as the beginning of the host or the path; it would then repeat the
    /// password's rest when that host is not found.
    func validate() throws(PostgresError) {
        guard isUnambiguous else {
            throw .cannotConnect(reason: "the URI's password holds '@' or '/'; write them as %40 and %2F")
        }
        guard let options = unsafe PQconninfoParse(uri, nil) else {
            throw .cannotConnect(reason: "the URI is malformed; it is not shown, since it may hold a password")
        }
        unsafe PQconninfoFree(options)
    }

    /// Whether at most one `@` comes before the query, and no `/` before it.
    private var isUnambiguous: Bool {
        guard let scheme = ["postgresql://", "postgres://"].first(where: uri.hasPrefix) else { return true }
        let rest = uri.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(authority.count).prefix { $0 != "?" }
        return authority.count(where: { $0 == "@" }) <= 1 && !path.contains("@")
    }
}

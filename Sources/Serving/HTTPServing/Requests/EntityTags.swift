/// The entity tags in an `If-Match` or `If-None-Match` header (RFC 9110, section 13.1).
///
/// A tag is the version of a resource.
package enum EntityTags: Equatable {
    /// `*`: any version.
    case any
    /// These versions. Tags that are not versions of this server are left out.
    case versions(Set<Int64>)

    /// Returns the entity tag of a version.
    package static func tag(of version: Int64) -> String { "\"\(version)\"" }

    /// Parses a header; nil if it is not a list of entity tags.
    /// - Parameters:
    ///   - header: the header's lines, joined by commas.
    ///   - allowsWeak: whether `W/"7"` counts as `"7"`, as in conditional reads (section 8.8.3.2).
    package init?(_ header: String, allowsWeak: Bool) {
        if header == "*" {
            self = .any
            return
        }
        let tag = #/\s*(?<weak>W/)?"(?<opaque>[\x21\x23-\x7e]*)"\s*(?:,|$)/#
        var versions: Set<Int64> = []
        var rest = header[...]
        while !rest.isEmpty {
            guard let match = rest.prefixMatch(of: tag) else { return nil }
            rest = rest[match.range.upperBound...]
            if let version = Int64(match.opaque), "\(version)" == match.opaque, allowsWeak || match.weak == nil {
                versions.insert(version)
            }
        }
        guard !header.isEmpty else { return nil }
        self = .versions(versions)
    }
}

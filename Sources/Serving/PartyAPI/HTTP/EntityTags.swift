import GameCore

/// The versions that a client names in `If-Match` or `If-None-Match` (RFC 9110, section 13.1).
enum EntityTags: Equatable {
    /// `*`: whatever there is.
    case any
    /// Versions, each by its tag; one of somebody else's making is no version of ours, and left out.
    case versions(Set<Int64>)

    /// The tag of a version.
    static func tag(of version: Int64) -> String { "\"\(version)\"" }

    /// What a header says; nil when it is no list of tags.
    /// - Parameters:
    ///   - header: one or several lines of it, joined by commas.
    ///   - takesWeak: whether `W/"7"` is as good as `"7"`: where nothing but freshness is asked (section 8.8.3.2).
    init?(_ header: String, takesWeak: Bool) {
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
            if let version = Int64(match.opaque), "\(version)" == match.opaque, takesWeak || match.weak == nil {
                versions.insert(version)
            }
        }
        guard !header.isEmpty else { return nil }
        self = .versions(versions)
    }
}

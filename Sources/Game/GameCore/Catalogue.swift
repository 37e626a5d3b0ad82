/// A fixed, ordered list of game content, such as heroes or bosses.
///
/// Content is code: it changes only with a release, so all nodes of a release play the same game.
public protocol Catalogue {
    /// The type of the entries.
    associatedtype Entry: CatalogueEntry

    /// Every entry, in display order.
    static var all: [Entry] { get }
}

extension Catalogue {
    /// The entry with an identifier; nil if there is none.
    public static subscript(id: Entry.ID) -> Entry? {
        all.first { $0.id == id }
    }

    /// Returns the index in ``all`` of the entry with an identifier; nil if there is none.
    static func index(of id: Entry.ID) -> Int? {
        // Not `firstIndex`, which copies each entry.
        all.indices.first { all[$0].id == id }
    }
}

/// An entry of a ``Catalogue``.
public protocol CatalogueEntry: Identifiable, Hashable, Sendable where ID: CatalogueID {
    /// The English name.
    var name: String { get }
    /// One emoji.
    var avatar: String { get }
}

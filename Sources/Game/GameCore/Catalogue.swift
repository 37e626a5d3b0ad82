/// A fixed list of content that the game is played with, in the order in which it is shown.
///
/// Content is code: it changes with a release, so that every node of one release plays the same game.
public protocol Catalogue {
    /// What the list holds.
    associatedtype Entry: CatalogueEntry

    /// Every entry, in the order in which it is shown.
    static var all: [Entry] { get }
}

extension Catalogue {
    /// The entry with that identifier, nil when there is none.
    public static subscript(id: Entry.ID) -> Entry? {
        all.first { $0.id == id }
    }

    /// Where the entry with that identifier stands in ``all``, nil when there is none.
    static func index(of id: Entry.ID) -> Int? {
        all.firstIndex { $0.id == id }
    }
}

/// One entry of a ``Catalogue``.
public protocol CatalogueEntry: Identifiable, Hashable, Sendable where ID: CatalogueID {
    /// In English.
    var name: String { get }
    /// One emoji.
    var avatar: String { get }
}

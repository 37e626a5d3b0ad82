import Foundation
import GameCore
import LiveActivityContent

/// A deep link into the app.
enum DeepLink {
    private static let scheme = "emojirangers"

    /// An adventure: `emojirangers://adventure/ID`.
    case adventure(AdventureID)
    /// A raid: `emojirangers://raid/ID`.
    case raid(RaidID)
    /// A party to watch, by its spectators' link: `emojirangers://watch/LINK`.
    case party(String)
    /// The party that the app has watched last: `emojirangers://watching`.
    case lastParty

    init?(_ url: URL) {
        guard url.scheme == Self.scheme else { return nil }
        let value = url.lastPathComponent
        switch url.host() {
        case "adventure":
            guard let id = AdventureID(value) else { return nil }
            self = .adventure(id)
        case "raid":
            guard let id = RaidID(value) else { return nil }
            self = .raid(id)
        case "watch":
            guard !value.isEmpty, value != "/" else { return nil }
            self = .party(value)
        case "watching": self = .lastParty
        default: return nil
        }
    }

    /// Finds the spectators' link in a text that a person has pasted: the deep link, or the link alone.
    static func spectatorsLink(in text: String) -> String {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        if let url = URL(string: text), case .party(let link)? = DeepLink(url) { return link }
        return text
    }

    static func url(of attributes: AdventureAttributes) -> URL? {
        URL(string: "\(scheme)://adventure/\(attributes.adventureID)")
    }

    static func url(of attributes: RaidAttributes) -> URL? { URL(string: "\(scheme)://raid/\(attributes.raidID)") }

    static func url(ofPartyWith link: String) -> URL? { URL(string: "\(scheme)://watch/\(link)") }

    static var urlOfLastParty: URL? { URL(string: "\(scheme)://watching") }
}

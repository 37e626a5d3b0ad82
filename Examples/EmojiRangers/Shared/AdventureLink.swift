import Foundation
import GameCore
import LiveActivityContent

/// The deep link to an adventure: `emojirangers://adventure/ID`.
enum AdventureLink {
    static func url(of attributes: AdventureAttributes) -> URL? {
        URL(string: "emojirangers://adventure/\(attributes.adventureID)")
    }

    static func adventure(in url: URL) -> AdventureID? {
        url.scheme == "emojirangers" && url.host() == "adventure" ? AdventureID(url.lastPathComponent) : nil
    }
}

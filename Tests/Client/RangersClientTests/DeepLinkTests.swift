import Foundation
import GameCore
import LiveActivityContent
import Testing

/// The deep links of `Examples/EmojiRangers`, whose file this target compiles once more.
@Suite struct DeepLinkTests {
    private static let id = "019a2f52-4c60-7d18-9a3e-7b2f0c8d5e21"
    private static let link = "ers_IQAAAAAAAAAAAAAAAAAAAAA"

    /// Returns a deep link as text; nil for another URL.
    private func parsed(_ url: URL?) -> String? {
        switch url.flatMap({ DeepLink($0) }) {
        case .adventure(let id): "adventure \(id)"
        case .raid(let id): "raid \(id)"
        case .party(let link): "party \(link)"
        case .lastParty: "last party"
        case nil: nil
        }
    }

    @Test func `what a Live Activity or a person opens leads to its screen`() {
        let adventure = AdventureAttributes(adventureID: Self.id, partyName: "", heroName: "", heroAvatar: "")
        let raid = RaidAttributes(raidID: Self.id, bossName: "Glitch", bossAvatar: "👾")
        #expect(parsed(DeepLink.url(of: adventure)) == "adventure \(Self.id)")
        #expect(parsed(DeepLink.url(of: raid)) == "raid \(Self.id)")
        #expect(parsed(DeepLink.url(ofPartyWith: Self.link)) == "party \(Self.link)")
        #expect(parsed(DeepLink.urlOfLastParty) == "last party")
    }

    @Test(
        arguments: [
            "https://watch/ers_x", "emojirangers://raid/1", "emojirangers://raid", "emojirangers://watch",
            "emojirangers://watch/", "emojirangers://party/019a2f52-4c60-7d18-9a3e-7b2f0c8d5e21",
        ]
    )
    func `other URLs lead nowhere`(text: String) { #expect(parsed(URL(string: text)) == nil) }

    @Test func `a spectators' link is found in what a person pastes`() throws {
        let url = try #require(DeepLink.url(ofPartyWith: Self.link))
        for text in [Self.link, " \(Self.link)\n", "\(url)", "\(url) "] {
            #expect(DeepLink.spectatorsLink(in: text) == Self.link)
        }
    }
}

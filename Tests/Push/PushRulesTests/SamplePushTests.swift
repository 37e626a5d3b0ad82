import Foundation
import LiveActivityContent
import Testing

@testable import PushRules

/// The sample push for testing a phone.
struct SamplePushTests {
    private struct Payload: Decodable {
        struct APS: Decodable {
            enum CodingKeys: String, CodingKey {
                case timestamp
                case event
                case state = "content-state"
                case staleDate = "stale-date"
                case dismissalDate = "dismissal-date"
                case attributes
                case alert
            }

            struct Alert: Decodable { let sound: String }

            let timestamp: Int64
            let event: String
            let state: AdventureAttributes.ContentState
            let staleDate: Int64?
            let dismissalDate: Int64?
            let attributes: AdventureAttributes?
            let alert: Alert?
        }

        let aps: APS
    }

    @Test(arguments: SamplePush.Event.allCases)
    func `a default decoder decodes the payload`(event: SamplePush.Event) throws {
        let bytes = try SamplePush.payload(event, timestamp: 1_790_000_000)
        let aps = try JSONDecoder().decode(Payload.self, from: Data(bytes)).aps
        #expect(aps.timestamp == 1_790_000_000 && aps.event == event.rawValue)
        #expect(aps.state.heroes.count == 2 && aps.state.boss != nil && aps.state.turn != nil)
        #expect((aps.attributes != nil && aps.alert != nil) == (event == .start))
        #expect((aps.staleDate == nil) == (event == .end) && (aps.dismissalDate != nil) == (event == .end))
    }

    /// The payload as the single-hero app decodes it, with all properties of its hero.
    private struct SingleHeroPayload: Decodable {
        struct APS: Decodable {
            enum CodingKeys: String, CodingKey {
                case attributes
                case state = "content-state"
            }

            let attributes: Attributes
            let state: ContentState
        }

        struct Attributes: Decodable { let hero: EmojiRanger }

        struct ContentState: Decodable {
            let currentHealthLevel: Double
            let eventDescription: String
        }

        struct EmojiRanger: Decodable {
            let name: String
            let avatar: String
            let healthLevel: Double
            let heroType: String
            let healthRecoveryRatePerHour: Double
            let url: URL
            let battleCode: URL
            let level: Int
            let exp: Int
            let bio: String
        }

        let aps: APS
    }

    @Test func `the widget of the single-hero app decodes a start`() throws {
        let bytes = try SamplePush.payload(.start, timestamp: 1_790_000_000)
        let aps = try JSONDecoder().decode(SingleHeroPayload.self, from: Data(bytes)).aps
        #expect(aps.state.currentHealthLevel == 1 && aps.state.eventDescription == "Glitch appeared!")
        let hero = aps.attributes.hero
        #expect(hero.name == "Spouty" && hero.avatar == "🐳" && hero.heroType == "Healer")
        #expect(hero.healthLevel == 1 && hero.level == 1 && hero.exp == 0)
        #expect(hero.bio == "Tidal Song: Every hero who stands gains 12 % of its health.")
        #expect(hero.url.absoluteString == "game:///spouty")
        #expect(hero.battleCode.absoluteString == "game:///spouty/battle")
        // The app divides by it.
        #expect(hero.healthRecoveryRatePerHour > 0)
    }

    @Test func `the push depends only on its timestamp`() throws {
        #expect(try SamplePush.payload(.update, timestamp: 7) == SamplePush.payload(.update, timestamp: 7))
    }
}

import Foundation
import LiveActivityContent
import Testing

struct LiveActivityPayloadTests {
    /// A payload as a phone decodes it, with a default decoder.
    private struct Received: Decodable {
        struct APS: Decodable {
            struct Alert: Decodable {
                struct Text: Decodable {
                    let locKey: String
                    let locArgs: [String]?

                    enum CodingKeys: String, CodingKey {
                        case locKey = "loc-key"
                        case locArgs = "loc-args"
                    }
                }

                let title: Text
                let body: Text
                let sound: String
            }

            let timestamp: Int
            let event: String
            let staleDate: Int?
            let relevanceScore: Double?
            let dismissalDate: Int?
            let alert: Alert?
            let inputPushToken: Int?
            let attributesType: String?
            let attributes: AdventureAttributes?
            let contentState: ContentState

            enum CodingKeys: String, CodingKey {
                case timestamp, event, alert, attributes
                case inputPushToken = "input-push-token"
                case attributesType = "attributes-type"
                case staleDate = "stale-date"
                case relevanceScore = "relevance-score"
                case dismissalDate = "dismissal-date"
                case contentState = "content-state"
            }
        }

        let aps: APS
    }

    private let alert = LiveActivityPayload.Alert(
        title: LocalizableText(key: "%@ is down!", args: [#"Sp"ou\ty"#]),
        body: LocalizableText(key: "Rest, and set out again."),
        sound: "hero-down.wav"
    )

    private let attributes = AdventureAttributes(
        adventureID: "0198a1b2-c3d4-7000-8000-00000000abcd",
        partyName: #"The "Würfel" party"#,
        heroName: "Spouty",
        heroAvatar: "🐳",
        hero: AdventureAttributes.Hero(
            id: "spouty",
            name: "Spouty",
            avatar: "🐳",
            healthLevel: 0.625,
            heroType: "Healer",
            level: 3,
            exp: 320,
            bio: "Sings.",
            power: 15
        )
    )

    private func start(_ attributes: AdventureAttributes, alert: LiveActivityPayload.Alert) -> LiveActivityPayload.Event
    {
        .start(attributes: .adventure(attributes), staleDate: 1_790_000_120, relevanceScore: 75, alert: alert)
    }

    private func payload(_ event: LiveActivityPayload.Event, state: ContentState = .bossFight) -> LiveActivityPayload {
        LiveActivityPayload(
            timestamp: 1_790_000_000,
            event: event,
            contentState: EncodedContentState(state).bytes(currentHealthLevel: state.currentHealthLevel)
        )
    }

    private func received(_ payload: LiveActivityPayload) throws -> Received.APS {
        try JSONDecoder().decode(Received.self, from: Data(try payload.encoded())).aps
    }

    @Test func `an update carries its state, its stale date and its score`() throws {
        let aps = try received(payload(.update(staleDate: 1_790_000_120, relevanceScore: 75, alert: nil)))
        #expect(aps.timestamp == 1_790_000_000)
        #expect(aps.event == "update")
        #expect(aps.staleDate == 1_790_000_120)
        #expect(aps.relevanceScore == 75)
        #expect(aps.dismissalDate == nil)
        #expect(aps.alert == nil)
        #expect(aps.contentState == .bossFight)
    }

    @Test func `an alert has the nested form, with the sound inside`() throws {
        let event = LiveActivityPayload.Event.update(staleDate: 1_790_000_120, relevanceScore: 100, alert: alert)
        let received = try #require(try received(payload(event)).alert)
        #expect(received.title.locKey == "%@ is down!")
        #expect(received.title.locArgs == [#"Sp"ou\ty"#])
        #expect(received.body.locKey == "Rest, and set out again.")
        #expect(received.body.locArgs == nil)
        #expect(received.sound == "hero-down.wav")
    }

    @Test func `an end carries the final state and a dismissal date`() throws {
        let aps = try received(payload(.end(dismissalDate: 1_790_000_900), state: .journeyCompleted))
        #expect(aps.event == "end")
        #expect(aps.dismissalDate == 1_790_000_900)
        #expect(aps.staleDate == nil)
        #expect(aps.contentState == .journeyCompleted)
    }

    @Test func `a start carries attributes, state and alert, and requests an update token`() throws {
        let aps = try received(payload(start(attributes, alert: alert)))
        #expect(aps.event == "start")
        #expect(aps.inputPushToken == 1)
        #expect(aps.attributesType == String(describing: AdventureAttributes.self))
        #expect(aps.attributes == attributes)
        #expect(aps.contentState == .bossFight)
        #expect(aps.staleDate == 1_790_000_120)
        #expect(aps.relevanceScore == 75)
        #expect(aps.alert?.title.locKey == "%@ is down!")
        #expect(aps.dismissalDate == nil)
    }

    @Test func `a start of a raid's activity follows a channel, and requests no token`() throws {
        let raid = RaidAttributes(raidID: "0198a1b2-c3d4-7000-8000-00000000abcd", bossName: "Glitch", bossAvatar: "👾")
        let event = LiveActivityPayload.Event.start(
            attributes: .raid(raid, channelID: "dHN0LXNyY2gtY2hubA=="),
            staleDate: 1_790_000_300,
            relevanceScore: 1,
            alert: alert.silent
        )
        struct Start: Decodable {
            struct APS: Decodable {
                let channelID: String
                let token: Int?
                let type: String
                let attributes: RaidAttributes

                enum CodingKeys: String, CodingKey {
                    case channelID = "input-push-channel"
                    case token = "input-push-token"
                    case type = "attributes-type"
                    case attributes
                }
            }

            let aps: APS
        }
        let aps = try JSONDecoder().decode(Start.self, from: Data(try payload(event).encoded())).aps
        #expect(aps.channelID == "dHN0LXNyY2gtY2hubA==" && aps.token == nil)
        #expect(aps.type == String(describing: RaidAttributes.self) && aps.attributes == raid)
    }

    @Test func `updates and ends have none of the keys of a start`() throws {
        let update = LiveActivityPayload.Event.update(staleDate: 1_790_000_120, relevanceScore: 75, alert: alert)
        for event in [update, .end(dismissalDate: 1_790_000_900)] {
            let aps = try received(payload(event))
            #expect(aps.inputPushToken == nil && aps.attributesType == nil && aps.attributes == nil)
        }
    }

    @Test func `each kind of payload has the expected bytes`() throws {
        let update = payload(.update(staleDate: 1_790_000_120, relevanceScore: 75, alert: nil))
        #expect(try text(update) == GoldenPayloads.update)
        let alerting = payload(.update(staleDate: 1_790_000_120, relevanceScore: 100, alert: alert))
        #expect(try text(alerting) == GoldenPayloads.updateWithAlert)
        let end = payload(.end(dismissalDate: 1_790_000_900), state: .journeyCompleted)
        #expect(try text(end) == GoldenPayloads.end)
        #expect(try text(payload(start(attributes, alert: alert))) == GoldenPayloads.start)
    }

    private func text(_ payload: LiveActivityPayload) throws -> String {
        String(decoding: try payload.encoded(), as: UTF8.self)
    }

    @Test func `4,096 bytes are accepted, and one more is an error with the size`() throws {
        var large = payload(.end(dismissalDate: 1_790_000_900))
        let rest = try large.encoded().count - large.contentState.count
        large.contentState = json(bytes: LiveActivityPayload.maxBytes - rest)
        #expect(try large.encoded().count == 4_096)
        large.contentState = json(bytes: LiveActivityPayload.maxBytes - rest + 1)
        let error = #expect(throws: LiveActivityPayloadError.self) { try large.encoded() }
        #expect(error == .tooLarge(bytes: 4_097))
        #expect(error.map(String.init(describing:))?.contains("4097") == true)
    }

    private func json(bytes: Int) -> [UInt8] {
        Array("\"\(String(repeating: "x", count: bytes - 2))\"".utf8)
    }

    @Test(arguments: ["W", "\"", "한", "ص", "👨‍👩‍👧‍👦", "e\u{301}"])
    func `the largest party with the longest names fits`(character: Character) throws {
        // The longest name that the server accepts: 30 characters, and at most 120 bytes.
        let count = min(30, 120 / String(character).utf8.count)
        let name = String(repeating: character, count: count)
        let hero = AdventureAttributes.HeroState(avatar: "👨‍👩‍👧‍👦", name: name, healthLevel: 0.999, isDown: false)
        let state = ContentState(
            heroes: Array(repeating: hero, count: 8),
            boss: AdventureAttributes.BossState(
                avatar: "👨‍👩‍👧‍👦",
                name: name,
                healthLevel: 0.999,
                phase: "windingUp"
            ),
            turn: AdventureAttributes.TurnState(number: 10_000, heroIndex: 7, endsEpochSeconds: 4_000_000_000),
            event: LocalizableText(
                key: "%1$@ used %2$@ and struck the boss for %3$@!",
                args: [name, name, "1000000"]
            ),
            tick: 100_000,
            sequence: 1_000_000,
            outcome: "endedByOperator",
            currentHealthLevel: 0.999
        )
        let alert = LiveActivityPayload.Alert(
            title: LocalizableText(key: "%@ is down!", args: [name]),
            body: LocalizableText(key: "%@ cannot fight on. Ask your party for a potion.", args: [name]),
            sound: "boss-appeared.wav"
        )
        let update = LiveActivityPayload.Event.update(staleDate: 4_000_000_000, relevanceScore: 100, alert: alert)
        let received = try received(payload(update, state: state))
        #expect(received.contentState == state)
        let attributes = AdventureAttributes(
            adventureID: attributes.adventureID,
            partyName: name,
            heroName: name,
            heroAvatar: "👨‍👩‍👧‍👦"
        )
        let start = try self.received(payload(start(attributes, alert: alert), state: state))
        #expect(start.attributes == attributes && start.contentState == state)
    }
}

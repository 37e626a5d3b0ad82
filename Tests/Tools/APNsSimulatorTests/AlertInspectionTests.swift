import Testing

@testable import APNsSimulator

/// Mistakes in alerts that APNs accepts and a phone does not show as intended.
@Suite struct AlertInspectionTests {
    private var wall: PhoneWall
    private var generator = SplitMix64(seed: 7)
    private let token: PushToken

    init() throws {
        wall = PhoneWall(catalog: try smallCatalog())
        token = PushToken(using: &generator)
        let phoneID = WallID<Phone>(using: &generator)
        let id = WallID<PhoneActivity>(using: &generator)
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        let activity = PhoneActivity(
            id: id,
            adventureID: WallID(rawValue: id.rawValue),
            heroName: nil,
            partyName: nil,
            token: token,
            startedAt: moment(0)
        )
        try wall.start(activity, on: phoneID)
    }

    private mutating func violations(of alert: String) -> [Violation] {
        let bytes = payload(members: #", "stale-date": 1790000600, "alert": \#(alert)"#)
        return wall.push(pushRequest(bytes, to: token)).violations
    }

    @Test(arguments: [
        (#"{"body": "b"}"#, Violation.Kind.incompleteAlert, "the alert has no title"),
        (#"{"title": "", "body": "b"}"#, .incompleteAlert, "the alert has no title"),
        (#"{"title": "t"}"#, .incompleteAlert, "the alert has no body"),
        (
            #"{"title": {"loc-key": "Nobody says this"}, "body": "b"}"#, .unknownLocalizationKey,
            "the app has no string 'Nobody says this', so the title shows the key"
        ),
        (
            #"{"title": "t", "body": {"loc-key": "%@ is down!"}}"#, .wrongLocalizationArguments,
            "the body '%@ is down!' takes 1 loc-args, but the push has 0"
        ),
        (
            #"{"title": {"loc-key": "%1$@ hit %2$@", "loc-args": ["a", "b", "c"]}, "body": "b"}"#,
            .wrongLocalizationArguments, "the title '%1$@ hit %2$@' takes 2 loc-args, but the push has 3"
        ),
        (
            #"{"title": {"loc-key": "Victory", "loc-args": ["a"]}, "body": "b"}"#, .wrongLocalizationArguments,
            "the title 'Victory' takes 0 loc-args, but the push has 1"
        ),
        (
            #"{"title": "t", "body": "b", "sound": "own-turn.caf"}"#, .unknownSound,
            "the app has no sound 'own-turn.caf'"
        ),
    ])
    mutating func `a mistake in an alert is a violation`(alert: String, kind: Violation.Kind, detail: String) {
        let found = violations(of: alert)
        #expect(found.map(\.kind) == [kind])
        #expect(found.map(\.detail) == [detail])
    }

    @Test(arguments: [
        #"{"title": "t", "body": "b"}"#,
        #"{"title": "t", "body": "b", "sound": "default"}"#,
        #"{"title": {"loc-key": "%@ is down!", "loc-args": ["%@"]}, "body": {"loc-key": "Victory"}, "sound": "own-turn.wav"}"#,
    ])
    mutating func `a correct alert is no violation`(alert: String) {
        #expect(violations(of: alert).isEmpty)
    }

    @Test func `the sounds are the app's WAV files`() throws {
        #expect(AlertSounds.names.count == 8)
        for name in AlertSounds.names {
            let file = try #require(AlertSounds.file(name))
            #expect(
                file.starts(with: Array("RIFF".utf8)) && file.dropFirst(8).starts(with: Array("WAVE".utf8)),
                "\(name)"
            )
        }
        #expect(AlertSounds.file("default") == nil && AlertSounds.file("../own-turn.wav") == nil)
    }
}

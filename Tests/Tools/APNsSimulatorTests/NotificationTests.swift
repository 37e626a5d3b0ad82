import Encodings
import Testing

@testable import APNsSimulator

/// Reactions of phones to ordinary notifications and to pushes to their widgets.
@Suite struct NotificationTests {
    private static let good =
        #""alert": {"title-loc-key": "%@ is down!", "title-loc-args": ["Spouty"], "loc-key": "Victory"}, "#
        + #""sound": "hero-down.wav", "interruption-level": "time-sensitive", "thread-id": "a", "relevance-score": 0.5"#
    private static let reload = Array(#"{"aps": {"content-changed": true}}"#.utf8)

    private var wall: PhoneWall
    private var generator = SplitMix64(seed: 7)
    private let phoneID: WallID<Phone>
    private let deviceToken: PushToken
    private let widgetToken: PushToken

    init() throws {
        var limits = PhoneLimits()
        limits.widgetReloadsPerDay = 2
        wall = PhoneWall(catalog: try smallCatalog(), limits: limits)
        phoneID = WallID(using: &generator)
        deviceToken = PushToken(using: &generator)
        widgetToken = PushToken(using: &generator)
        _ = try wall.addPhone(id: phoneID, label: "Mina", locale: "ko", frequentPushesEnabled: true)
        try wall.setToken(deviceToken, .device, of: phoneID, at: moment(0))
        try wall.setToken(widgetToken, .widgets, of: phoneID, at: moment(0))
    }

    @discardableResult
    private mutating func notify(
        _ members: String = good,
        collapseID: String? = nil,
        apnsID: String = "a",
        at seconds: Int64 = 0
    ) -> PhoneWall.Outcome {
        var request = pushRequest(Array(#"{"aps": {\#(members)}}"#.utf8), to: deviceToken)
        request.pushType = .alert
        request.collapseID = collapseID
        return wall.push(request, apnsID: apnsID, at: moment(seconds))
    }

    private mutating func reloadWidgets(_ bytes: [UInt8] = reload, at seconds: Int64 = 0) -> PhoneWall.Outcome {
        var request = pushRequest(bytes, to: widgetToken, priority: .low, expiration: epoch + 3600)
        request.pushType = .widgets
        return wall.push(request, at: moment(seconds))
    }

    private var notifications: [PhoneNotification] {
        get throws { try wall.phone(phoneID).notifications }
    }

    @Test mutating func `a notification is shown in the phone's language`() throws {
        let outcome = notify()
        #expect(outcome.rejection == nil && outcome.violations.isEmpty && outcome.phoneIndices == [0])
        #expect(outcome.entry.reaction == .shown && outcome.entry.pushType == .alert)
        #expect(outcome.entry.phoneID == phoneID && outcome.entry.activityID == nil)
        let shown = try #require(try notifications.first)
        #expect(shown.alert.title == "Spouty 쓰러짐!" && shown.alert.titleKey == "%@ is down!")
        #expect(shown.alert.body == "Victory" && shown.alert.sound == "hero-down.wav")
        #expect(shown.interruptionLevel == .timeSensitive && shown.threadID == "a" && shown.relevanceScore == 0.5)
    }

    @Test mutating func `a notification replaces one with its collapse identifier, and the newest is on top`() throws {
        notify(collapseID: "a", apnsID: "1")
        notify(collapseID: "b", apnsID: "2")
        notify(collapseID: "a", apnsID: "3")
        notify(apnsID: "4")
        #expect(try notifications.map(\.apnsID) == ["4", "3", "2"])
        for number in 5..<40 { notify(apnsID: "\(number)") }
        #expect(try notifications.count == PhoneNotification.maxPerPhone)
        #expect(try notifications.first?.apnsID == "39")
    }

    @Test(
        arguments: [
            (#""alert": {"title": {"loc-key": "Victory"}, "body": "b"}"#, [.nestedLocalizationKeys]),
            (#""alert": {"title": "t", "body": "b", "sound": "default"}"#, [.soundInsideAlert]),
            (#""alert": {}"#, [.incompleteAlert]),
            (#""alert": "b", "interruption-level": "critical""#, [.invalidInterruptionLevel]),
            (#""alert": "b", "relevance-score": 75"#, [.invalidRelevanceScore]),
            (#""alert": {"loc-key": "Nothing"}"#, [.unknownLocalizationKey]),
            (#""alert": {"title-loc-key": "%@ is down!", "loc-key": "Victory"}"#, [.wrongLocalizationArguments]),
            (#""alert": "b", "sound": "own-turn.caf""#, [.unknownSound]),
            (#""content-available": 1"#, [.unreadablePayload]),
            (#""alert": "b""#, []),
        ] as [(String, [Violation.Kind])]
    )
    mutating func `a mistake in a notification is a violation`(members: String, kinds: [Violation.Kind]) throws {
        let outcome = notify(members)
        #expect(outcome.rejection == nil && outcome.violations.map(\.kind) == kinds)
        let isShown = kinds != [.incompleteAlert] && kinds != [.unreadablePayload]
        #expect(outcome.entry.reaction == (isShown ? .shown : .unreadable))
        #expect(try notifications.count == (isShown ? 1 : 0))
    }

    @Test mutating func `an offline phone shows the stored notification later`() throws {
        try wall.change(phoneID, .init(isOnline: false), at: moment(0))
        #expect(notify().entry.reaction == .stored)
        #expect(try notifications.isEmpty)
        try wall.change(phoneID, .init(isOnline: true), at: moment(9))
        #expect(try notifications.map(\.alert.time) == [moment(9)])
        #expect(wall.log.last?.reaction == .shown)
    }

    @Test mutating func `a token is for one push type`() throws {
        let startToken = PushToken(using: &generator)
        try wall.setToken(startToken, .pushToStart, of: phoneID, at: moment(0))
        for (token, own) in [(deviceToken, PushType.alert), (widgetToken, .widgets), (startToken, .liveActivity)] {
            for type in PushType.allCases where type != own {
                var request = pushRequest(Self.reload, to: token)
                request.pushType = type
                let outcome = wall.push(request)
                #expect(outcome.rejection == .deviceTokenNotForTopic && outcome.entry.phoneID == phoneID)
            }
        }
    }

    @Test mutating func `a replaced device token is unregistered, and using it again is a violation`() throws {
        try wall.setToken(PushToken(using: &generator), .device, of: phoneID, at: moment(5))
        let first = notify(at: 6)
        #expect(first.rejection == .unregistered && first.invalidSince == moment(5) && first.violations.isEmpty)
        #expect(notify(at: 7).violations.map(\.kind) == [.pushToDeadToken])
    }

    @Test mutating func `a push reloads widgets while the day's budget lasts`() throws {
        for seconds in [0, 900] as [Int64] { #expect(reloadWidgets(at: seconds).entry.reaction == .shown) }
        let beyond = reloadWidgets(at: 1800)
        #expect(beyond.rejection == nil && beyond.violations.isEmpty && beyond.entry.reaction == .overReloadBudget)
        var view = PhoneView(try wall.phone(phoneID), in: wall.catalog, at: moment(1800)).widgets
        #expect(view.reloadedAt == moment(900) && view.reloads == 2 && view.budgetLeft == 0)
        #expect(reloadWidgets(at: 24 * 3600).entry.reaction == .shown)
        view = PhoneView(try wall.phone(phoneID), in: wall.catalog, at: moment(24 * 3600)).widgets
        #expect(view.reloads == 3 && view.budgetLeft == 0)
    }

    @Test(arguments: [
        (#"{"aps": {"content-changed": false}}"#, Violation.Kind.missingContentChanged),
        (#"{"aps": {}}"#, .missingContentChanged),
        ("[]", .unreadablePayload),
    ])
    mutating func `a widget push must say that the content has changed`(text: String, kind: Violation.Kind) throws {
        let outcome = reloadWidgets(Array(text.utf8))
        #expect(outcome.violations.map(\.kind) == [kind] && outcome.entry.reaction == .unreadable)
        #expect(try wall.phone(phoneID).widgets.reloads == 0)
    }
}

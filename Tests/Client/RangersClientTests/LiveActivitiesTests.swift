import ActivityKit
import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import LiveActivitiesOnStubs
import LiveActivityContent
import PushRules
import RangersClient
import Synchronization
import TestSupport
import Testing

/// Tests of `LiveActivities` between a stub of ActivityKit, which a test plays, and the real API.
@Suite struct LiveActivitiesTests {
    private typealias Shown = ActivityKit.Activity<AdventureAttributes>

    private let phone = StubPhone()
    private let deviceID = DeviceID(rawValue: UUID())
    private let log = Log()

    /// Runs a launch of the app on the phone, which ends with the function.
    private func launch(
        _ player: PlayerClient,
        _ test: (LiveActivities) async throws -> Void
    ) async throws {
        try await StubPhone.$current.withValue(phone) {
            let activities = LiveActivities(
                player: player,
                deviceID: deviceID,
                environment: .simulator,
                followsRaids: true,
                onToken: { log.append($0) },
                onError: { Issue.record("the server rejected a report: \($0)") }
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await activities.run() }
                try await test(activities)
                group.cancelAll()
            }
        }
    }

    /// Starts a journey with an activity on the phone.
    private func start(
        _ activities: LiveActivities,
        for playerID: PlayerID,
        _ player: PlayerClient
    ) async throws -> (AdventureID, String) {
        let party = try await player.createParty(named: "The Rangers")
        let journey = try await player.startJourney(of: party.partyID, in: "meadow")
        let activity = try activities.start(journey, of: party, for: playerID)
        return (journey.adventureID, try #require(activity).id)
    }

    private func token(_ byte: UInt8) -> Data { Data(repeating: byte, count: 32) }

    @Test func `a raid is shown on its channel, once`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            try await launch(ada) { activities in
                let json = """
                    {"raidID": "019a2f52-4c60-7d18-9a3e-7b2f0c8d5e21", "state": "running", "regions": [], "round": 3,
                    "boss": {"id": "glitch", "name": "Glitch", "avatar": "👾", "health": 4, "maximumHealth": 9,
                    "healthLevel": 0.44, "phase": 2}, "startsAt": 0, "endsAt": 60, "damage": 5, "parties": 2%@}
                    """
                func raid(_ channels: String) throws -> RaidResponse {
                    let text = json.replacing("%@", with: channels)
                    return try JSONDecoder().decode(RaidResponse.self, from: Data(text.utf8))
                }
                #expect(try activities.follow(raid("")) == nil)
                let channels = #", "channels": {"\#(PushEnvironment.simulator.rawValue)": "dHN0LXNyY2gtY2hubA=="}"#
                let shown = try #require(try activities.follow(raid(channels)))
                #expect(shown.content.state.health == 4 && shown.content.state.boss.name == "Glitch")
                #expect(try activities.follow(raid(channels))?.id == shown.id)
                // The server starts one by push, without knowing of that of the app.
                let second = phone.receiveStart(shown.attributes, shown.content)
                try await eventually("the second activity is ended") { phone.dismissalDate(of: second) != nil }
                #expect(shown.activityState == .active)
            }
        }
    }

    @Test func `spectators see a party's adventure, its events and its channel without an account`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            let party = try await ada.createParty(named: "The Rangers")
            let opened = try await ada.openToSpectators(party.partyID)
            #expect(try await ada.openToSpectators(party.partyID) == opened)
            #expect(try await world.server().watch(opened.link).adventure == nil)
            let journey = try await ada.startJourney(of: party.partyID, in: "meadow")
            let watched = try await world.server().watch(opened.link)
            #expect(watched.adventure?.adventureID == journey.adventureID && watched.channels.isEmpty)
            var events = world.server().events(watchedBy: opened.link).makeAsyncIterator()
            #expect(try await events.next()?.event == .adventureStarted(kind: .journey))
            try await launch(ada) { activities in
                #expect(try activities.follow(watched) == nil)
                let json = """
                    {"adventure": {"adventureID": "\(journey.adventureID)", "kind": "journey", "tick": 0, "heroes": [],
                    "sequence": 1}, "channels": {"\(PushEnvironment.simulator.rawValue)": "dHN0LXNyY2gtY2hubA=="}}
                    """
                let live = try JSONDecoder().decode(WatchedParty.self, from: Data(json.utf8))
                let shown = try #require(try activities.follow(live))
                #expect(shown.attributes.adventureID == "\(journey.adventureID)")
                #expect(try activities.follow(live)?.id == shown.id)
            }
            try await ada.closeToSpectators(party.partyID)
            let refused = await #expect(throws: RangersError.self) { try await world.server().watch(opened.link) }
            guard case .problem(let problem) = refused else { throw try #require(refused) }
            #expect(problem.type == .unknownLink)
        }
    }

    @Test func `the device is registered, and again after each change of its tokens and settings`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            try await launch(ada) { activities in
                try await eventually("the device is registered") {
                    try await ada.devices().first?.liveActivitiesEnabled == true
                }
                #expect(try await ada.devices().first?.followsRaids == true)
                phone.issuePushToStartToken(token(0xab))
                try await eventually("the device has a push-to-start token") {
                    try await ada.device(deviceID).hasPushToStartToken
                }
                phone.issueWidgetToken(token(0xcd))
                activities.deviceChanged()
                try await eventually("the device has a token for widgets") {
                    try await ada.device(deviceID).hasWidgetToken == true
                }
                phone.setFrequentPushesEnabled(false)
                try await eventually("frequent pushes are off") {
                    try await !ada.device(deviceID).frequentPushesEnabled
                }
                phone.setActivitiesEnabled(false)
                try await eventually("Live Activities are off") {
                    try await !ada.device(deviceID).liveActivitiesEnabled
                }

                let party = try await ada.createParty(named: "The Rangers")
                let journey = try await ada.startJourney(of: party.partyID, in: "meadow")
                #expect(throws: LiveActivitiesError.disabled) {
                    try activities.start(journey, of: party, for: journey.heroes[0].playerID)
                }
            }
            #expect(log.lines == ["push-to-start token abababab…"])
        }
    }

    @Test func `each push token is registered, and a dismissed activity is released`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            try await launch(ada) { activities in
                try await eventually("the device is registered") { try await !ada.devices().isEmpty }
                let (journey, shown) = try await start(activities, for: id, ada)
                let activityID = ActivityID(activityKitID: shown)
                for byte in [1, 2] as [UInt8] {
                    phone.issuePushToken(token(byte), for: shown)
                    try await eventually("the token is registered") {
                        try await world.activity(activityID, of: journey)?.pushToken == Array(token(byte))
                    }
                }
                #expect(
                    log.lines == [
                        "push token 01010101… of activity \(activityID)",
                        "push token 02020202… of activity \(activityID)",
                    ]
                )
                phone.dismiss(shown)
                try await eventually("the activity is released") {
                    try await world.activity(activityID, of: journey)?.state == .released
                }
            }
        }
    }

    @Test func `a launch releases activities that ended while the app was closed, and keeps the others`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            var started: [(AdventureID, String)] = []
            try await launch(ada) { activities in
                try await eventually("the device is registered") { try await !ada.devices().isEmpty }
                for byte in [1, 2] as [UInt8] {
                    let (journey, shown) = try await start(activities, for: id, ada)
                    phone.issuePushToken(token(byte), for: shown)
                    try await eventually("the activity is live") {
                        try await world.activity(.init(activityKitID: shown), of: journey)?.state == .live
                    }
                    started.append((journey, shown))
                }
            }
            let (dismissed, kept) = (started[0], started[1])
            phone.dismiss(dismissed.1)
            // The server spares activities that are younger than half a minute.
            try await world.playTicks(4)
            try await launch(ada) { _ in
                try await eventually("the dismissed activity is released") {
                    try await world.activity(.init(activityKitID: dismissed.1), of: dismissed.0)?.state == .released
                }
                phone.issuePushToken(token(3), for: kept.1)
                try await eventually("the other activity stays live") {
                    let activity = try await world.activity(.init(activityKitID: kept.1), of: kept.0)
                    return activity?.pushToken == Array(token(3)) && activity?.state == .live
                }
            }
        }
    }

    @Test func `a scheduled activity is registered with its start, after a relaunch, too`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            let party = try await ada.createParty(named: "The Rangers")
            let journey = try await ada.startJourney(of: party.partyID, in: "meadow")
            let start = Date(timeIntervalSince1970: (journey.startedAt.timeIntervalSince1970 + 3_600).rounded())
            var shown = ""
            func startsAt() async throws -> Int64? {
                try await world.activity(.init(activityKitID: shown), of: journey.adventureID)?.startsAt?.epochSeconds
            }
            try await launch(ada) { activities in
                try await eventually("the device is registered") { try await !ada.devices().isEmpty }
                let alert = AlertConfiguration(title: "The party sets out.", body: "Soon.", sound: .default)
                let activity = try activities.schedule(journey, of: party, for: id, at: start, alert: alert)
                shown = try #require(activity?.id)
                #expect(Shown.activities.map(\.activityState) == [.pending])
                phone.issuePushToken(token(1), for: shown)
                try await eventually("the activity has its start") {
                    try await startsAt() == Int64(start.timeIntervalSince1970)
                }
            }
            phone.setState(.active, of: shown)
            try await launch(ada) { _ in
                phone.issuePushToken(token(2), for: shown)
                let activityID = ActivityID(activityKitID: shown)
                try await eventually("the new token is registered") {
                    try await world.activity(activityID, of: journey.adventureID)?.pushToken == Array(token(2))
                }
                #expect(try await startsAt() == Int64(start.timeIntervalSince1970))
                phone.dismiss(shown)
                try await eventually("the activity is released") {
                    try await world.activity(activityID, of: journey.adventureID)?.state == .released
                }
            }
        }
    }

    @Test func `after a push-to-start in the background, the token waits for no other report`() async throws {
        try await ClientWorld.with { world in
            let registered = try await world.server().register("Ada", playing: "spouty")
            let ada = world.server().player(with: registered.token)
            let party = try await ada.createParty(named: "The Rangers")
            let journey = try await ada.startJourney(of: party.partyID, in: "meadow")
            try await ada.register(deviceID, with: .init(environment: .simulator, frequentPushesEnabled: true))
            phone.setInFront(false)
            let shown = phone.receiveStart(
                try #require(AdventureAttributes(of: journey, party: party, for: registered.playerID)),
                ActivityContent(
                    state: AdventureAttributes.ContentState(of: journey, for: registered.playerID),
                    staleDate: nil
                )
            )
            phone.issuePushToken(token(1), for: shown)

            let configuration = RangersConfiguration(transport: ActivitiesTransport())
            let background = world.server(configuration).player(with: registered.token)
            try await launch(background) { activities in
                try await eventually("the activity is live") {
                    try await world.activity(.init(activityKitID: shown), of: journey.adventureID)?.state == .live
                }
                #expect(throws: ActivityAuthorizationError.visibility) {
                    try activities.start(journey, of: party, for: registered.playerID)
                }
            }
        }
    }

    @Test func `a started activity has the server's relevance and stale date, and events update it to the end`()
        async throws
    {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            try await launch(ada) { activities in
                let (journey, shown) = try await start(activities, for: id, ada)
                let first = try #require(Shown.activities.first).content
                #expect(first.relevanceScore == Relevance.journey.score)
                let staleAfter = try #require(first.staleDate).timeIntervalSinceNow
                #expect((180...240).contains(staleAfter))

                async let follows: Void = activities.followAdventure(journey, for: id)
                repeat {
                    try await world.playTicks(1)
                } while try await expectNewestState(of: journey, ada, in: world).outcome == nil
                try await follows
                #expect(Shown.activities.map(\.id) == [shown])
                #expect(Shown.activities.map(\.activityState) == [.ended])
                // As after an end by the server, and not the system's four hours.
                let dismissedAfter = try #require(phone.dismissalDate(of: shown)).timeIntervalSinceNow
                #expect((300...900).contains(dismissedAfter))
            }
        }
    }

    /// Expects that the only activity shows the newest state of its adventure, which is returned.
    private func expectNewestState(
        of id: AdventureID,
        _ player: PlayerClient,
        in world: ClientWorld
    ) async throws -> AdventureAttributes.ContentState {
        let stored = try #require(try await world.store.adventure(id))
        let headlines = try await player.allEvents(of: id).compactMap(\.event).filter(\.isHeadline)
        let expected = AdventureAttributes.ContentState(
            of: stored.adventure,
            lastEvent: try #require(headlines.last),
            turnEnds: stored.turnDueAt
        )
        try await eventually("the activity shows event \(expected.sequence)") {
            Shown.activities.first?.content.state.sequence == expected.sequence
        }
        #expect(Shown.activities.first?.content.state == expected)
        return expected
    }

    @Test func `events update the activity of a boss fight with each turn and its end`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            try await launch(ada) { activities in
                let party = try await ada.createParty(named: "The Rangers")
                let fight = try await world.bossFight(of: party.partyID)
                let opening = try await ada.adventure(fight)
                #expect(try activities.start(opening, of: party, for: id) != nil)
                async let follows: Void = activities.followAdventure(fight, for: id)
                var states = [try #require(Shown.activities.first).content.state]
                while states.last?.outcome == nil {
                    // Ada acts herself in the first turn of her hero; later turns pass.
                    if states.last?.turn?.heroIndex == 0,
                        !states.dropLast().contains(where: { $0.turn?.heroIndex == 0 })
                    {
                        try await ada.run(.attack, in: fight)
                        states.append(try await expectNewestState(of: fight, ada, in: world))
                    }
                    try await world.playTicks(2)
                    states.append(try await expectNewestState(of: fight, ada, in: world))
                }
                try await follows
                #expect(states.allSatisfy { $0.boss != nil } && states.last?.turn == nil)
                #expect(Set(states.compactMap { $0.turn?.endsEpochSeconds }).count > 2)
                #expect(Shown.activities.map(\.activityState) == [.ended])
            }
        }
    }

    @Test func `an event never replaces the newer state of a push`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            try await launch(ada) { activities in
                let (journey, shown) = try await start(activities, for: id, ada)
                var newer = try #require(Shown.activities.first).content.state
                newer.sequence = 10_000
                async let follows: Void = activities.followAdventure(journey, for: id)
                phone.receiveUpdate(ActivityContent(state: newer, staleDate: nil), for: shown)
                while try await !ada.adventure(journey).isOver { try await world.playTicks(10) }
                try await follows
                #expect(Shown.activities.map(\.content.state) == [newer])
                #expect(Shown.activities.map(\.activityState) == [.active])
            }
        }
    }
}

/// The lines that `LiveActivities` logs.
private final class Log: Sendable {
    private let storage = Mutex<[String]>([])

    var lines: [String] { storage.withLock(\.self) }

    func append(_ line: String) { storage.withLock { $0.append(line) } }
}

/// A transport that sends requests about one activity, and holds all others until their task is cancelled.
private struct ActivitiesTransport: RangersTransport {
    private let transport = URLSessionTransport()

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard request.url.path().contains("/adventures/") else {
            try await Task.sleep(for: .seconds(3_600))
            throw CancellationError()
        }
        return try await transport.send(request)
    }
}

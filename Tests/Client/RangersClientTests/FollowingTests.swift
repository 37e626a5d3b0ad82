import ActivityKit
import Foundation
import GameCore
import LiveActivitiesOnStubs
import LiveActivityContent
import RangersClient
import Synchronization
import TestSupport
import Testing

/// Raids and watched parties that an app follows: in Live Activities on channels, and on the screen.
@Suite struct FollowingTests {
    private static let raidID = "019a2f52-4c60-7d18-9a3e-7b2f0c8d5e21"
    private static let fight = "019a2f52-4c60-7d18-9a3e-7b2f0c8d5e22"
    private static let channels = #"{"\#(PushEnvironment.simulator.rawValue)": "dHN0LXNyY2gtY2hubA=="}"#

    private let phone = StubPhone()

    /// A raid in phase 2, against a boss with a health of 9, in a response of the server.
    private static func raid(damage: Int, state: String = "running") -> ScriptedTransport.Step {
        let blow = #"{"damage": 3, "at": "2027-01-15T08:00:03.250Z", "adventureID": "\#(fight)"}"#
        let finishing = state == "defeated" ? #""finishingBlow": \#(blow),"# : ""
        let ended = state == "running" ? "" : #""endedAt": "2027-01-15T08:00:04.000Z","#
        return .response(
            200,
            """
            {"raidID": "\(raidID)", "state": "\(state)", "regions": ["meadow"], "round": 4, "damage": \(damage), "parties": 2,
            "boss": {"id": "glitch", "name": "Glitch", "avatar": "👾", "health": \(9 - damage), "maximumHealth": 9,
            "healthLevel": \(Double(9 - damage) / 9), "phase": 2}, "biggestBlow": \(blow), \(finishing) \(ended)
            "startsAt": "2027-01-15T08:00:00.000Z", "endsAt": "2027-01-15T10:00:00.000Z", "channels": \(channels)}
            """
        )
    }

    private func player(_ transport: ScriptedTransport, clock: any Clock<Duration> = JumpingClock()) -> PlayerClient {
        RangersServer(at: localhost(1), configuration: RangersConfiguration(transport: transport, clock: clock))
            .player(with: PlayerToken("erp_secret"))
    }

    private func activities(of player: PlayerClient) -> LiveActivities {
        LiveActivities(player: player, deviceID: DeviceID(rawValue: UUID()), environment: .simulator)
    }

    @Test func `a raid's activity is updated when the app comes to the front, and ended after the end`() async throws {
        try await StubPhone.$current.withValue(phone) {
            let transport = ScriptedTransport(
                Self.raid(damage: 5),
                Self.raid(damage: 7),
                // Older than what the phone shows.
                Self.raid(damage: 6),
                Self.raid(damage: 9, state: "defeated")
            )
            let player = player(transport)
            let activities = activities(of: player)
            func shown() throws -> RaidActivityState {
                try #require(ActivityKit.Activity<RaidAttributes>.activities.first).content.state
            }
            let raid = try await player.raid(try #require(RaidID(Self.raidID)))
            let id = try #require(try activities.follow(raid)).id
            #expect(try shown().health == 4)
            for _ in 0..<2 {
                try await activities.updateRaids()
                #expect(try shown().health == 2)
            }
            #expect(phone.dismissalDate(of: id) == nil)
            try await activities.updateRaids()
            #expect(try shown().health == 0 && shown().outcome == "defeated")
            #expect(ActivityKit.Activity<RaidAttributes>.activities.map(\.activityState) == [.ended])
            #expect(try #require(phone.dismissalDate(of: id)) > Date())
            try await activities.updateRaids()
            #expect(transport.requests.count == 4, "what has ended is not asked for again")
        }
    }

    @Test func `an activity that is out of date is not started once more`() async throws {
        try await StubPhone.$current.withValue(phone) {
            let player = player(ScriptedTransport(Self.raid(damage: 5)))
            let activities = activities(of: player)
            let raid = try await player.raid(try #require(RaidID(Self.raidID)))
            let raidActivity = try #require(try activities.follow(raid)).id
            phone.setState(.stale, of: raidActivity)
            #expect(try activities.follow(raid)?.id == raidActivity)

            let json = """
                {"adventure": {"adventureID": "\(Self.fight)", "kind": "journey", "tick": 0, "heroes": [], "sequence": 1},
                "channels": \(Self.channels)}
                """
            let watched = try JSONDecoder().decode(WatchedParty.self, from: Data(json.utf8))
            #expect(try LiveActivities.follow(watched, in: .production) == nil)
            let spectator = try #require(try LiveActivities.follow(watched, in: .simulator)).id
            phone.setState(.stale, of: spectator)
            #expect(try activities.follow(watched)?.id == spectator)

            await LiveActivities.endSpectators()
            #expect(ActivityKit.Activity<SpectatorAttributes>.activities.map(\.activityState) == [.ended])
            #expect(ActivityKit.Activity<RaidAttributes>.activities.map(\.activityState) == [.stale])
            #expect(try #require(try LiveActivities.follow(watched, in: .simulator)).id != spectator)
        }
    }

    @Test(
        arguments: [
            ("running", 5, 6, nil, "Glitch has 4 health left."),
            ("defeated", 9, 11, "defeated", "Glitch is defeated!"),
            ("escaped", 5, 7, "escaped", "The boss got away."),
            ("stopped", 5, 7, "stopped", "The game masters ended it."),
            ("petrified", 5, 7, "stopped", "The game masters ended it."),
        ] as [(String, Int, Int, String?, String)]
    )
    func `the state of a raid's activity says how the raid ended, and is newer than all before`(
        state: String,
        damage: Int,
        sequence: Int,
        outcome: String?,
        text: String
    ) async throws {
        let transport = ScriptedTransport(Self.raid(damage: damage, state: state))
        let raid = try await player(transport).raid(try #require(RaidID(Self.raidID)))
        let shown = RaidActivityState(of: raid)
        #expect(shown.outcome == outcome && shown.sequence == sequence && shown.event.english == text)
        #expect(shown.health == 9 - damage && shown.maximumHealth == 9 && shown.parties == 2 && shown.tick == 4)
        #expect(shown.biggestBlow == 3 && shown.endsEpochSeconds == 1_800_007_200)
        #expect(shown.boss.name == "Glitch" && shown.boss.phase == AdventureAttributes.BossState.enraged)
    }

    @Test func `a raid is followed until it is over`() async throws {
        let clock = JumpingClock()
        let transport = ScriptedTransport(
            Self.raid(damage: 3),
            Self.raid(damage: 5),
            Self.raid(damage: 9, state: "defeated")
        )
        let party = PartyID(rawValue: UUID())
        var damage: [Int] = []
        try await player(transport, clock: clock).followRaid(try #require(RaidID(Self.raidID)), party: party) { raid in
            damage.append(raid.damage)
        }
        #expect(damage == [3, 5, 9])
        #expect(clock.sleeps == [.seconds(5), .seconds(5)])
        #expect(transport.requests.map { $0.url.query() } == Array(repeating: "party=\(party)", count: 3))
    }

    @Test func `a watched party is followed through its adventures, until its leader closes it`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            let party = try await ada.createParty(named: "The Rangers")
            let link = try await ada.openToSpectators(party.partyID).link
            let screen = WatchedScreen()
            let closed = try await withThrowingTaskGroup(of: RangersError?.self) { group in
                group.addTask {
                    do {
                        try await world.server().follow(link, every: .milliseconds(20)) { screen.show($0, $1) }
                        return nil
                    } catch let error as RangersError {
                        return error
                    }
                }
                try await eventually("the screen shows that the party rests") {
                    screen.party != nil && screen.party?.adventure == nil
                }
                for _ in 0..<2 {
                    let journey = try await ada.startJourney(of: party.partyID, in: "meadow")
                    try await eventually("the screen shows the start of the adventure") {
                        screen.newest == journey.adventureID && screen.kinds.first == "adventureStarted"
                    }
                    while try await !ada.adventure(journey.adventureID).isOver { try await world.playTicks(10) }
                    try await eventually("the screen shows the end of the adventure") {
                        screen.kinds.last == "adventureEnded"
                    }
                    #expect(screen.newest == journey.adventureID, "the last state stays with the last event")
                    try await eventually("the screen shows that the party rests") { screen.party?.adventure == nil }
                }
                try await ada.closeToSpectators(party.partyID)
                return try await group.next() ?? nil
            }
            guard case .problem(let problem) = closed else { throw try #require(closed) }
            #expect(problem.type == .unknownLink)
        }
    }
}

/// The screen of a spectator.
private final class WatchedScreen: Sendable {
    private struct State {
        var party: WatchedParty?
        var kinds: [String] = []
        var newest: AdventureID?
    }

    private let state = Mutex(State())

    var party: WatchedParty? { state.withLock(\.party) }
    /// The kinds of the events of the newest adventure.
    var kinds: [String] { state.withLock(\.kinds) }
    /// The adventure of the party as it was shown with the newest event.
    var newest: AdventureID? { state.withLock(\.newest) }

    func show(_ party: WatchedParty, _ event: EventResponse?) {
        state.withLock { state in
            state.party = party
            guard let event else { return }
            if event.sequence == 1 { state.kinds = [] }
            state.kinds.append(event.kind)
            state.newest = party.adventure?.adventureID
        }
    }
}

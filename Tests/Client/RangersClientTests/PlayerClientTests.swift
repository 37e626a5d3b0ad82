import Foundation
import GameCore
import GameLog
import GameStore
import RangersClient
import Testing

@Suite struct PlayerClientTests {
    @Test func `a party can be created, joined, handed over and left`() async throws {
        try await ClientWorld.with { world in
            let (adaID, ada) = try await world.player("Ada", playing: "spouty")
            let (benID, ben) = try await world.player("Ben", playing: "ember")
            let founded = try await ada.createParty(named: "Two", capacity: 2)
            #expect(founded.capacity == 2 && founded.leaderID == adaID && founded.adventureID == nil)
            let joined = try await ben.join(founded.inviteCode.lowercased())
            #expect(joined.members.map(\.playerID) == [adaID, benID])
            #expect(joined.members.map(\.hero.id) == ["spouty", "ember"])
            #expect(joined.version > founded.version)
            #expect(try await ben.parties() == [joined])

            let handedOver = try await ada.handOver(founded.partyID, to: benID)
            #expect(handedOver.leaderID == benID)
            let outdated = { try await ben.renewInviteCode(of: founded.partyID, ifVersion: joined.version) }
            #expect(try await type(outdated) == .partyChanged)
            let renewed = try await ben.renewInviteCode(of: founded.partyID, ifVersion: handedOver.version)
            #expect(renewed.inviteCode != founded.inviteCode)
            try await ben.remove(adaID, from: founded.partyID)
            #expect(try await ben.party(founded.partyID).members.map(\.playerID) == [benID])
            await #expect(throws: RangersError.self) { try await ada.party(founded.partyID) }
        }
    }

    @Test func `a problem has its type`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player("Ada")
            let (_, ben) = try await world.player("Ben")
            let party = try await ada.createParty(named: "One", capacity: 1)
            #expect(try await type { try await ben.join(party.inviteCode) } == .partyFull)
            #expect(try await type { try await ben.join("nothing") } == .unknownInviteCode)
            #expect(try await type { try await ben.party(party.partyID) } == .unknownParty)
            #expect(try await type { try await ben.createParty(named: "") } == .invalidFields)
            let nobody = world.server().player(with: PlayerToken("erp_nobody"))
            #expect(try await type { try await nobody.profile() } == .invalidToken)
            let journey = try await ada.startJourney(of: party.partyID, in: "meadow")
            #expect(try await type { try await ada.run(.attack, in: journey.adventureID) } == ProblemType(.noBoss))
            let again = { try await ada.startJourney(of: party.partyID, in: "meadow") }
            #expect(try await type(again) == .adventureRunning)
        }
    }

    private func type<Response>(_ request: () async throws -> Response) async throws -> ProblemType {
        let error = await #expect(throws: RangersError.self) { _ = try await request() }
        guard case .problem(let problem) = error else { throw try #require(error) }
        return problem.type
    }

    @Test func `a journey has its state and its events, page by page`() async throws {
        try await ClientWorld.with { world in
            let (id, ada) = try await world.player()
            let started = try await world.journey(of: ada)
            #expect(started.kind.value == .journey && started.status.value == .running && !started.isOver)
            #expect(started.region == "meadow" && started.progress?.step == 0)
            #expect(started.hero(of: id)?.heroClass?.value == .healer)
            try await world.playTicks(1)
            let now = try await ada.adventure(started.adventureID)
            #expect(now.tick > 0)

            let first = try await ada.events(of: started.adventureID, limit: 1)
            #expect(first.events.first?.event == .adventureStarted(kind: .journey))
            #expect(first.next == 1)
            let rest = try await ada.allEvents(of: started.adventureID, after: 1)
            #expect((first.events + rest).map(\.sequence) == Array(1...now.sequence))
            #expect(rest.allSatisfy { $0.event != nil && $0.at >= started.startedAt })
        }
    }

    @Test func `an ended adventure is in the history, and its experience in the profile and a leaderboard`()
        async throws
    {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player("Ada", playing: "boulder")
            let journey = try await world.journey(of: ada)
            try await world.playTicks(100)
            let page = try await ada.playedAdventures(limit: 1)
            let played = try #require(page.adventures.first)
            #expect(played.adventureID == journey.adventureID && played.region == "meadow" && page.next == nil)
            #expect(try await ada.playedAdventures(after: played.adventureID).adventures == [])
            let profile = try await ada.profile()
            #expect(profile.experience == played.experience && profile.hero == played.hero)
            let season = try await ada.leaderboard(.experience)
            #expect(season.top == season.around && season.top.map(\.score) == [played.experience])
            #expect(season.top.map(\.isCaller) == [true] && season.endsAt > played.endedAt)
        }
    }

    @Test func `the catalogues equal those of the game`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            #expect(try await ada.heroes().map(\.id) == HeroCatalogue.all.map(\.id))
            #expect(try await ada.bosses().map(\.fears.value) == BossCatalogue.all.map(\.fears))
            #expect(try await ada.regions().map(\.locations.count) == RegionCatalogue.all.map(\.locations.count))
            #expect(try await ada.profile().hero.name == "Spouty")
        }
    }

    @Test func `an activity can be registered, given a new token and released`() async throws {
        try await ClientWorld.with { world in
            let (_, ada) = try await world.player()
            let started = try await world.journey(of: ada)
            let journey = started.adventureID
            let activityID = ActivityID(rawValue: UUID())
            func destination(_ byte: UInt8) -> PushDestination {
                PushDestination(pushToken: Data([0, byte]), environment: .simulator, frequentPushesEnabled: true)
            }
            let deviceID = DeviceID(rawValue: UUID())
            var settings = DeviceSettings(environment: .simulator, locale: "ko", frequentPushesEnabled: true)
            settings.pushToStartToken = Data([3])
            settings.widgetToken = Data([4])
            settings.followsRaids = true
            settings.alerts.muted = [.companions]
            let device = try await ada.register(deviceID, with: settings)
            #expect(device.alerts == settings.alerts)
            #expect(device.deviceID == deviceID && device.environment.value == .simulator && !device.routable)
            #expect(device.liveActivitiesEnabled && device.hasPushToStartToken && !device.hasAlertToken)
            #expect(device.hasWidgetToken == true && device.followsRaids == true)
            #expect(try await ada.devices() == [try await ada.device(deviceID)])

            let startsAt = started.startedAt.addingTimeInterval(60)
            func register(_ byte: UInt8) async throws -> ActivityResponse {
                try await ada.register(
                    activityID,
                    of: journey,
                    on: deviceID,
                    destination: destination(byte),
                    locale: "ko",
                    startsAt: startsAt
                )
            }
            let first = try await register(1)
            #expect(
                first.deviceID == deviceID && first.startsAt.map { abs($0.timeIntervalSince(startsAt)) < 0.001 } == true
            )
            #expect(first.activityID == activityID && first.adventureID == journey)
            #expect(first.state.value == .live && first.generation == 1 && first.locale == "ko")
            #expect(try await register(2).generation == 2)
            #expect(try await world.activity(activityID, of: journey)?.pushToken == [0, 2])
            try await ada.release(activityID, of: journey)
            #expect(try await world.activity(activityID, of: journey)?.state == .released)
            let synced = try await ada.sync(running: [activityID], on: deviceID)
            #expect(synced.released == [] && synced.unknown == [activityID] && synced.live == [])

            try await ada.remove(deviceID)
            #expect(try await ada.devices() == [])
        }
    }
}

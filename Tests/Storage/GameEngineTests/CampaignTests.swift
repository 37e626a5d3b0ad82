import GameCore
import GameEngine
import GameLog
import GameStore
import GameTestSupport
import RangersMetrics
import ServiceRuntime
import TestSupport
import Testing

@Suite struct CampaignTests {
    /// Creates parties of one member in random shards.
    private func parties(_ count: Int, in world: World) async throws -> [Party] {
        var parties: [Party] = []
        for index in 0..<count { parties.append(try await world.party(of: [try await world.player("Ada \(index)")])) }
        return parties
    }

    private func campaign(
        _ name: String = "new-year",
        against boss: BossID = "glitch",
        dryRun: Bool = false,
        in world: World
    ) async throws -> Campaign {
        try await world.commands.begin(campaign: name, against: boss, by: .test, dryRun: dryRun)
    }

    /// Takes steps until the campaign is complete.
    private func finish(
        _ campaign: Campaign,
        after cursor: PartyID? = nil,
        limit: Int,
        dryRun: Bool = false,
        in world: World
    ) async throws -> [CampaignStep] {
        var steps: [CampaignStep] = []
        var cursor = cursor
        repeat {
            let step = try await world.commands.startFights(
                of: campaign,
                after: cursor,
                startingAtMost: limit,
                by: .test,
                dryRun: dryRun
            )
            #expect(step.started.count + step.wouldStart.count <= limit)
            steps.append(step)
            cursor = step.next
        } while cursor != nil
        return steps
    }

    @Test func `every idle party gets exactly one fight, despite an interrupted step`() async throws {
        try await World.with { world in
            let idle = try await parties(9, in: world)
            let busy = try await parties(1, in: world)[0]
            let journey = try await world.startJourney(busy)
            let campaign = try await campaign(in: world)

            let dry = try await finish(campaign, limit: 4, dryRun: true, in: world)
            #expect(Set(dry.flatMap(\.wouldStart)) == Set(idle.map(\.id)) && dry.map(\.busy).reduce(0, +) == 1)
            #expect(try await world.party(idle[0].id).adventureID == nil)

            // Interrupted after the first step, whose response was lost.
            let first = try await world.commands.startFights(
                of: campaign,
                after: nil,
                startingAtMost: 4,
                by: .test,
                dryRun: false
            )
            #expect(first.started.count == 4 && first.next != nil)
            let rest = try await finish(try await self.campaign(in: world), limit: 4, in: world)
            #expect(Set(rest.flatMap(\.earlierFights)) == Set(first.started))
            let fights = first.started + rest.flatMap(\.started)
            #expect(Set(fights.map(\.partyID)) == Set(idle.map(\.id)) && fights.count == idle.count)
            for fight in fights {
                let stored = try #require(try await world.store.adventure(fight.adventureID))
                #expect(stored.partyID == fight.partyID && stored.adventure.boss?.id == "glitch")
            }
            #expect(try await world.party(busy.id).adventureID == journey.id)

            // After its fight a party is idle. The same campaign starts no second fight for it, but another one does.
            _ = try await world.commands.end(fights[0].adventureID, by: .test)
            let again = try await finish(campaign, limit: 50, in: world)
            #expect(again.flatMap(\.started).isEmpty && Set(again.flatMap(\.earlierFights)) == Set(fights))
            let other = try await finish(try await self.campaign("easter", in: world), limit: 50, in: world)
            #expect(other.flatMap(\.started).map(\.partyID) == [fights[0].partyID])

            let audit = try await world.store.auditEntries(limit: 100)
            #expect(audit.count { $0.action == .campaignBegin } == 2)
            #expect(audit.count { $0.action == .bossStart } == idle.count + 1)
        }
    }

    @Test func `a step repeated by its run returns the same result and starts nothing more`() async throws {
        try await World.with { world in
            let idle = try await parties(7, in: world)
            let campaign = try await campaign(in: world)
            var generator = world.runtime.generator()
            let run = CampaignRunID(at: world.runtime.now(), using: &generator)
            func step(after cursor: PartyID?, in run: CampaignRunID? = run) async throws -> CampaignStep {
                try await world.commands.startFights(
                    of: campaign,
                    after: cursor,
                    startingAtMost: 3,
                    in: run,
                    by: .test,
                    dryRun: false
                )
            }
            let first = try await step(after: nil)
            let again = try await step(after: nil)
            #expect(first.started.count == 3 && again.started == first.started && again.next == first.next)
            #expect(again.earlierFights.isEmpty && first.started.allSatisfy { $0.run == run })
            let second = try await step(after: again.next)
            let third = try await step(after: second.next)
            #expect(second.started.count == 3 && third.started.count == 1 && third.next == nil)

            // Another run finds the fights of this run, and starts none.
            let other = try await step(after: nil, in: nil)
            #expect(other.started.isEmpty)
            #expect(other.earlierFights == first.started + second.started + third.started)
            let audit = try await world.store.auditEntries(limit: 100)
            #expect(audit.count { $0.action == .bossStart } == idle.count)
            let done = #"rangers_commands_total{command="startBossFight",outcome="done"} 7"#
            #expect(await world.registry.text().contains("\n\(done)\n"))
        }
    }

    @Test func `two concurrent runs of a campaign start one fight per party`() async throws {
        try await World.with { world in
            let idle = try await parties(6, in: world)
            let campaign = try await campaign(in: world)
            async let one = finish(campaign, limit: 2, in: world)
            async let other = finish(campaign, limit: 3, in: world)
            let fights = try await (one + other).flatMap(\.started)
            #expect(fights.map(\.partyID).sorted() == idle.map(\.id).sorted())
        }
    }

    @Test func `a campaign's name stands for one boss`() async throws {
        try await World.with { world in
            _ = try await campaign(against: "glitch", in: world)
            await #expect(throws: CommandError.otherCampaign("glitch")) {
                try await campaign(against: "cinderwing", in: world)
            }
            await #expect(throws: CommandError.otherCampaign("glitch")) {
                try await campaign(against: "cinderwing", dryRun: true, in: world)
            }
            _ = try await campaign("other", dryRun: true, in: world)
            #expect(try await world.store.campaign("other") == nil)
        }
    }
}

import Foundation
import GameCore
import GameStore
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

/// A boss fight whose server goes away in the middle.
private struct InterruptedFight {
    let party: SimulatedParty
    let fight: FollowedAdventure
    let simulator: SimulatorClient

    static func start(in world: World, on server: World.Server) async throws -> Self {
        let simulator = SimulatorClient(at: world.simulatorURL)
        var players: [SimulatedPlayer] = []
        for role in PlayerRole.cast {
            players.append(try await .register(as: role, at: server.url, with: simulator))
        }
        let party = try await SimulatedParty.gather(players, named: "The Unstoppable")
        let console = try await world.console(of: server)
        let id = try await console.startBossFight(against: "old-tangle", inviteCode: party.inviteCode)
        return Self(party: party, fight: try await party.follow(id), simulator: simulator)
    }

    /// Plays the fight to its end, and interrupts it once ten events have happened.
    func play(interruptedBy interrupt: @escaping @Sendable () async throws -> Void) async throws {
        async let ending = party.play(fight, within: .seconds(180))
        _ = try await eventually("ten events") {
            let (adventure, events) = try await party.record(of: fight.id)
            return events.count >= 10 && !adventure.isOver ? true : nil
        }
        try await interrupt()
        _ = try await ending
    }

    /// What must be true of the log and the phones afterwards; a push may have been repeated if a server was killed.
    func check(in world: World, serverWasKilled: Bool) async throws {
        let evidence = try await AdventureEvidence.gather(
            of: fight,
            of: party,
            from: simulator,
            waitingFor: .seconds(30),
            serverWasKilled: serverWasKilled
        )
        #expect(evidence.events.map(\.sequence) == Array(1...evidence.adventure.sequence))
        #expect(evidence.events.first?.event == .adventureStarted(kind: .bossFight))
        #expect(evidence.events.last?.event == evidence.adventure.outcome?.value.map { .adventureEnded(outcome: $0) })
        let positions = try await world.store.log(of: fight.id.shard, after: 0, limit: 10_000).map(\.position)
        #expect(positions == Array(1...Int64(positions.count)))
        for check in [StoryCheck.lastStates, StoryCheck.ends, StoryCheck.manners] {
            let condition = check([evidence])
            #expect(condition.faults == [], "\(condition.condition)")
        }
    }
}

extension EndToEndTests {
    @Suite struct CrashTests {
        @Test func `a fight goes on where a killed server left it, and nothing is lost or doubled`() async throws {
            try await World.with { world in
                let server = try await world.startServer()
                let fight = try await InterruptedFight.start(in: world, on: server)
                try await fight.play {
                    try await server.program.crash()
                    let next = try await world.startServer(port: server.port)
                    #expect(next.port == server.port)
                }
                try await fight.check(in: world, serverWasKilled: true)
            }
        }

        @Test func `a server that is asked to stop drains, gives its leases back, and the next one goes on at once`()
            async throws
        {
            try await World.with { world in
                let server = try await world.startServer()
                let fight = try await InterruptedFight.start(in: world, on: server)
                try await fight.play {
                    server.program.send(SIGTERM)
                    #expect(try await server.program.end(within: .seconds(20)) == 0, "\(server.program.output)")
                    #expect(try await world.store.unleasedShards().count == Shard.all.count)
                    let last = try await fight.simulator.lastPushNumber()
                    _ = try await world.startServer(port: server.port)
                    // Less than the five seconds of a lease.
                    _ = try await eventually("the next push", within: .seconds(4)) {
                        try await fight.simulator.pushes(after: last).first
                    }
                }
                try await fight.check(in: world, serverWasKilled: false)
            }
        }
    }
}

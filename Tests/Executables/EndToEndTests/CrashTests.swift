import Foundation
import GameCore
import GameLog
import GameStore
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

/// A boss fight whose server stops in the middle.
private struct InterruptedFight {
    let party: StoryParty
    let fight: TrackedAdventure
    let simulator: SimulatorClient

    static func start(in deployment: TestDeployment, on server: TestDeployment.Server) async throws -> Self {
        let simulator = SimulatorClient(at: deployment.simulatorURL)
        var players: [SimulatedPlayer] = []
        for role in PlayerRole.cast {
            players.append(try await .register(as: role, at: server.url, with: simulator))
        }
        let party = try await StoryParty.gather(players, named: "The Unstoppable")
        let console = try await deployment.console(of: server)
        let id = try await console.startBossFight(against: "old-tangle", inviteCode: party.inviteCode)
        return Self(party: party, fight: try await party.follow(id), simulator: simulator)
    }

    /// Plays the fight to its end and interrupts it after ten events.
    func play(interruptedBy interrupt: @escaping @Sendable () async throws -> Void) async throws {
        async let ending = party.play(fight, within: .seconds(180))
        _ = try await eventually("ten events") {
            let (adventure, events) = try await party.record(of: fight.id)
            return events.count >= 10 && !adventure.isOver ? true : nil
        }
        try await interrupt()
        _ = try await ending
    }

    /// Checks the log and the phones after the fight; a killed server may have repeated a push.
    func check(in deployment: TestDeployment, serverWasKilled: Bool) async throws {
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
        let positions = try await deployment.store.log(of: fight.id.shard, after: 0, limit: 10_000).map(\.position)
        #expect(positions == Array(1...Int64(positions.count)))
        for check in [StoryCheck.lastStates, StoryCheck.ends, StoryCheck.violations] {
            let condition = check([evidence])
            #expect(condition.faults == [], "\(condition.condition)")
        }
    }
}

extension EndToEndTests {
    @Suite struct CrashTests {
        @Test func `a fight continues after a server is killed, and nothing is lost or duplicated`() async throws {
            try await TestDeployment.with { deployment in
                let server = try await deployment.startServer()
                let fight = try await InterruptedFight.start(in: deployment, on: server)
                try await fight.play {
                    try await server.program.crash()
                    let next = try await deployment.startServer(port: server.port)
                    #expect(next.port == server.port)
                }
                try await fight.check(in: deployment, serverWasKilled: true)
            }
        }

        @Test func `a stopped server drains and releases its leases, and the next one continues immediately`()
            async throws
        {
            try await TestDeployment.with { deployment in
                let server = try await deployment.startServer()
                let fight = try await InterruptedFight.start(in: deployment, on: server)
                try await fight.play {
                    server.program.send(SIGTERM)
                    #expect(try await server.program.end(within: .seconds(20)) == 0, "\(server.program.output)")
                    #expect(try await deployment.store.unleasedShards().count == Shard.all.count)
                    let last = try await fight.simulator.lastPushNumber()
                    _ = try await deployment.startServer(port: server.port)
                    _ = try await eventually("the next push", within: .seconds(4)) {
                        try await fight.simulator.pushes(after: last).first
                    }
                }
                try await fight.check(in: deployment, serverWasKilled: false)
            }
        }
    }
}

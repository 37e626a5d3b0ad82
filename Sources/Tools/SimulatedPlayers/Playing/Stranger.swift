public import GameCore
import RangersClient

/// Somebody who is in no party, and tries what only members may.
public struct Stranger: Sendable {
    /// What came of some tries.
    public struct Outcome: Sendable {
        /// Those that were answered, whatever with.
        public internal(set) var attempts = 0
        /// Those that were not refused as if there were nothing there, as sentences.
        public internal(set) var findings: [String] = []
    }

    private let player: SimulatedPlayer

    /// Registers somebody.
    /// - Throws: ``RangersError``.
    public static func come(in dependencies: PlayingParty.Dependencies) async throws -> Stranger {
        let role = PlayerRole.cast[0]
        let phoneID = try await dependencies.simulator.addPhone(
            label: "Stranger",
            locale: role.locale,
            frequentPushesEnabled: true
        )
        return Stranger(
            player: try await SimulatedPlayer.register(
                as: role,
                at: dependencies.server,
                with: dependencies.simulator,
                on: phoneID,
                patience: dependencies.patience,
                over: dependencies.transport
            )
        )
    }

    /// Tries to read and to change a party and its adventure.
    public func tryDoors(of partyID: PartyID, on adventureID: AdventureID?) async -> Outcome {
        var outcome = Outcome()
        let me = player.server
        await attempt("to read party \(partyID)", &outcome) { _ = try await me.party(partyID) }
        await attempt("to set out with party \(partyID)", &outcome) {
            _ = try await me.startJourney(of: partyID, in: RegionCatalogue.all[0].id)
        }
        await attempt("to renew the invite code of party \(partyID)", &outcome) {
            _ = try await me.renewInviteCode(of: partyID)
        }
        guard let adventureID else { return outcome }
        await attempt("to read adventure \(adventureID)", &outcome) { _ = try await me.adventure(adventureID) }
        await attempt("to read the events of adventure \(adventureID)", &outcome) {
            _ = try await me.events(of: adventureID)
        }
        await attempt("to attack in adventure \(adventureID)", &outcome) { try await me.run(.attack, in: adventureID) }
        await attempt("to follow adventure \(adventureID)", &outcome) {
            let activityID = ActivityID(rawValue: player.phoneID)
            let route = PushDestination(
                pushToken: .init(repeating: 7, count: 32),
                environment: .simulator,
                frequentPushesEnabled: true
            )
            try await me.register(activityID, of: adventureID, destination: route)
        }
        return outcome
    }

    private func attempt(_ what: String, _ outcome: inout Outcome, _ deed: () async throws -> Void) async {
        do {
            try await deed()
            outcome.attempts += 1
            outcome.findings.append("a stranger was allowed \(what)")
        } catch RangersError.problem(let problem) where (400..<500).contains(problem.status) {
            outcome.attempts += 1
            guard problem.status != 404 else { return }
            outcome.findings.append("a stranger who tried \(what) was told more than that there is none: \(problem)")
        } catch {
            // Nobody was there to refuse.
        }
    }
}

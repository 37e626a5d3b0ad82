public import GameCore
import RangersClient

/// A player without a party who attempts actions that only members may perform.
public struct Outsider: Sendable {
    /// The result of some attempts.
    public struct Outcome: Sendable {
        /// The number of attempts with a response.
        public internal(set) var attempts = 0
        /// Descriptions of the attempts that did not get a 404.
        public internal(set) var findings: [String] = []
    }

    private let player: SimulatedPlayer

    /// Registers an outsider.
    /// - Throws: ``RangersError``.
    public static func register(in dependencies: AutonomousParty.Dependencies) async throws -> Outsider {
        let role = PlayerRole.cast[0]
        let phoneID = try await dependencies.simulator.addPhone(
            label: "Outsider",
            locale: role.locale,
            frequentPushesEnabled: true
        )
        return Outsider(
            player: try await SimulatedPlayer.register(
                as: role,
                at: dependencies.server,
                with: dependencies.simulator,
                on: phoneID,
                retryTimeLimit: dependencies.retryTimeLimit,
                over: dependencies.transport
            )
        )
    }

    /// Attempts to read and to change a party and its adventure.
    public func probe(of partyID: PartyID, on adventureID: AdventureID?) async -> Outcome {
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
            try await me.register(activityID, of: adventureID, on: player.deviceID, destination: route)
        }
        return outcome
    }

    private func attempt(_ what: String, _ outcome: inout Outcome, _ action: () async throws -> Void) async {
        do {
            try await action()
            outcome.attempts += 1
            outcome.findings.append("an outsider was allowed \(what)")
        } catch RangersError.problem(let problem) where (400..<500).contains(problem.status) {
            outcome.attempts += 1
            guard problem.status != 404 else { return }
            outcome.findings.append("an outsider who tried \(what) got more than a 404: \(problem)")
        } catch {
            // The server was unreachable.
        }
    }
}

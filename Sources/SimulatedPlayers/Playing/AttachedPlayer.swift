import Foundation
public import GameCore
import RangersClient

/// A player on a phone that somebody else has switched on: registers, joins a party, follows its adventures, and plays by
/// what the phone shows.
public struct AttachedPlayer: Sendable {
    /// Between two looks at the server.
    private static let pause = Duration.milliseconds(200)
    /// How long a person waits for a player; who plays comes back later by itself.
    private static let patience = Duration.seconds(5)

    /// Who it is.
    public let role: PlayerRole
    /// What the server calls the player.
    public var id: PlayerID { player.id }
    /// Which party it has joined.
    public let partyID: PartyID
    /// Which phone it plays on.
    var phoneID: UUID { player.phoneID }
    private let player: SimulatedPlayer

    /// Registers a player and joins a party.
    /// - Parameters:
    ///   - role: who it is to be; language and frequent pushes are the phone's.
    ///   - inviteCode: the party's.
    ///   - server: where rangersd is.
    ///   - simulator: where the phone is.
    ///   - phoneID: which phone it is.
    /// - Returns: the player, who does not play yet.
    /// - Throws: ``RangersError``.
    static func join(
        as role: PlayerRole,
        by inviteCode: String,
        at server: URL,
        with simulator: SimulatorClient,
        on phoneID: UUID
    ) async throws -> AttachedPlayer {
        let player = try await SimulatedPlayer.register(
            as: role,
            at: server,
            with: simulator,
            on: phoneID,
            patience: patience
        )
        let party = try await player.server.join(inviteCode)
        return AttachedPlayer(role: role, partyID: party.partyID, player: player)
    }

    /// Leaves the party.
    func leave() async throws {
        try await player.server.remove(id, from: partyID)
    }

    /// Follows and plays every adventure of the party, until the task is cancelled, or the player is no member any more or
    /// not known to the server.
    func play() async {
        let reporter = LiveActivityReporter(player: player.server, environment: .simulator)
        await withDiscardingTaskGroup { group in
            let app = PhoneApp(reporter: reporter, simulator: player.simulator, phoneID: player.phoneID)
            group.addTask { await app.run() }
            var card: (adventureID: AdventureID, activityID: ActivityID)?
            while !Task.isCancelled {
                do {
                    card = try await playOn(card)
                } catch RangersError.problem(let problem)
                    where problem.type == .unknownParty || problem.type == .invalidToken
                {
                    break
                } catch {
                    // A server that is away comes back; what it did not hear of is asked for again. Nobody would read more
                    // of it than the phone shows, which stands still meanwhile.
                }
                // Who is cancelled needs no pause.
                try? await Task.sleep(for: Self.pause)
            }
            group.cancelAll()
        }
    }

    /// Looks once, and does what the moment asks for.
    /// - Returns: the adventure that is followed, with the activity that shows it.
    private func playOn(
        _ card: (adventureID: AdventureID, activityID: ActivityID)?
    ) async throws -> (adventureID: AdventureID, activityID: ActivityID)? {
        guard let card else {
            let party = try await player.server.party(partyID)
            guard let adventureID = party.adventureID else { return nil }
            let (activityID, _) = try await player.startCard(of: adventureID, partyName: party.name)
            return (adventureID, activityID)
        }
        let adventure = try await player.server.adventure(card.adventureID)
        guard !adventure.isOver else { return nil }
        try await player.play(in: adventure, following: card.activityID)
        return card
    }
}

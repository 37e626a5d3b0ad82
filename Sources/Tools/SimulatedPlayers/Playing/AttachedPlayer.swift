import Foundation
public import GameCore
import RangersClient

/// A player on a phone that somebody else has switched on: registers, joins a party, follows its adventures, and plays by
/// what the phone shows.
public struct AttachedPlayer: Sendable {
    /// How long a person takes between two looks.
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
    let player: SimulatedPlayer
    /// Between two looks at the party, the phone, and a phone that lags behind.
    var pause = Self.pause

    /// Registers a player and joins a party.
    /// - Parameters:
    ///   - role: who it is to be; language and frequent pushes are the phone's.
    ///   - inviteCode: the party's.
    ///   - server: where rangersd is.
    ///   - simulator: where the phone is.
    ///   - phoneID: which phone it is.
    /// - Returns: the player, who does not play yet.
    /// - Throws: ``RangersError``; nothing is left of the player then, as far as the server can be reached.
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
        do {
            let party = try await player.server.join(inviteCode)
            return AttachedPlayer(role: role, partyID: party.partyID, player: player)
        } catch {
            // Why the player could not join is what the caller wants to know.
            try? await player.server.erase()
            throw error
        }
    }

    /// Leaves the party, and the game: nobody plays that player again.
    func leave() async throws {
        try await player.server.erase()
    }

    /// Follows and plays every adventure of the party, until the task is cancelled, or the player is no member any more or
    /// not known to the server.
    func play() async {
        let reporter = LiveActivityReporter(player: player.server, environment: .simulator)
        await withDiscardingTaskGroup { group in
            let app = PhoneApp(
                reporter: reporter,
                simulator: player.simulator,
                phoneID: player.phoneID,
                pause: pause
            )
            group.addTask { await app.run() }
            var card: (adventureID: AdventureID, activityID: ActivityID)?
            while !Task.isCancelled {
                do {
                    card = try await nextCard(after: card)
                    if let card { try await playOn(card.adventureID, following: card.activityID) }
                } catch RangersError.problem(let problem)
                    where problem.type == .unknownParty || problem.type == .invalidToken
                {
                    break
                } catch {
                    // A server that is away comes back; what it did not hear of is asked for again. Nobody would read more
                    // of it than the phone shows, which stands still meanwhile.
                }
                // Who is cancelled needs no pause.
                try? await Task.sleep(for: pause)
            }
            group.cancelAll()
        }
    }

    /// Starts a card for the party's adventure, unless it is the one before.
    /// - Returns: the adventure, with the activity that shows it; nil between adventures.
    private func nextCard(
        after card: (adventureID: AdventureID, activityID: ActivityID)?
    ) async throws -> (adventureID: AdventureID, activityID: ActivityID)? {
        let party = try await player.server.party(partyID)
        guard let adventureID = party.adventureID else { return nil }
        if let card, card.adventureID == adventureID { return card }
        let (activityID, _) = try await player.startCard(of: adventureID, partyName: party.name)
        return (adventureID, activityID)
    }

    /// Does what each moment of an adventure asks for, until it is over: looks when something has happened, and again
    /// while the phone is yet to show it.
    private func playOn(_ adventureID: AdventureID, following activityID: ActivityID) async throws {
        let start = try await player.server.adventure(adventureID)
        // Whoever is behind looks once for all that has happened.
        let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        look.yield()
        try await withThrowingTaskGroup { group in
            group.addTask {
                defer { look.finish() }
                for try await _ in player.server.stream(of: adventureID, after: start.sequence) { look.yield() }
            }
            for await _ in looks {
                let adventure = try await player.server.adventure(adventureID)
                guard !adventure.isOver else { break }
                guard try await player.play(in: adventure, following: activityID) else { continue }
                group.addTask {
                    try await Task.sleep(for: pause)
                    look.yield()
                }
            }
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error) = result, !(error is CancellationError) { throw error }
            }
        }
    }
}

import Foundation
public import GameCore
import RangersClient

/// A player on an existing phone: registers, joins a party, shows its adventures, and plays by the states that the
/// phone shows.
public struct AttachedPlayer: Sendable {
    /// The default polling interval, similar to a person's reaction time.
    private static let pollInterval = Duration.milliseconds(200)
    /// The retry limit while a user waits for the attachment; playing retries without a limit.
    private static let retryTimeLimit = Duration.seconds(5)

    /// The player's role.
    public let role: PlayerRole
    /// The player's identifier on the server.
    public var id: PlayerID { player.id }
    /// The party that the player has joined.
    public let partyID: PartyID
    /// The player's phone.
    var phoneID: UUID { player.phoneID }
    let player: SimulatedPlayer
    /// The player on a tablet, which shows the adventures, too; nil without one.
    var tablet: SimulatedPlayer?
    /// The polling interval for the party and the phone.
    var pollInterval = Self.pollInterval

    /// Registers a player and joins a party.
    /// - Parameters:
    ///   - role: the player's role, with the phone's locale and frequent pushes.
    ///   - inviteCode: the party's invite code.
    ///   - server: the address of rangersd.
    ///   - simulator: the simulator with the phone.
    ///   - phoneID: the phone.
    /// - Returns: the player, not playing yet.
    /// - Throws: ``RangersError``; the registration is then erased, if the server is reachable.
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
            retryTimeLimit: retryTimeLimit
        )
        do {
            let party = try await player.server.join(inviteCode)
            return AttachedPlayer(role: role, partyID: party.partyID, player: player)
        } catch {
            // The caller needs the original error.
            try? await player.server.erase()
            throw error
        }
    }

    /// Erases the player, which also removes the player from the party.
    func leave() async throws {
        try await player.server.erase()
    }

    /// The player on each of the devices.
    private var devices: [SimulatedPlayer] { [player] + (tablet.map { [$0] } ?? []) }

    /// Shows and plays all adventures of the party, until cancellation, or until the player is no longer a member or
    /// unknown to the server.
    func play() async {
        await withDiscardingTaskGroup { group in
            for device in devices {
                let app = PhoneApp(of: device, pollInterval: pollInterval)
                group.addTask { await app.run() }
            }
            var shown: (adventureID: AdventureID, activityID: ActivityID)?
            while !Task.isCancelled {
                do {
                    shown = try await nextActivity(after: shown)
                    if let shown { try await playOn(shown.adventureID, following: shown.activityID) }
                } catch RangersError.problem(let problem)
                    where problem.type == .unknownParty || problem.type == .invalidToken
                {
                    break
                } catch {
                    // The next iteration retries after a server failure. The phone visibly stops, so nothing is
                    // reported.
                }
                // The loop checks for cancellation.
                try? await Task.sleep(for: pollInterval)
            }
            group.cancelAll()
        }
    }

    /// Starts an activity for the party's adventure on each device, unless it is still the previous adventure.
    /// - Returns: the adventure and the phone's activity; nil between adventures.
    private func nextActivity(
        after previous: (adventureID: AdventureID, activityID: ActivityID)?
    ) async throws -> (adventureID: AdventureID, activityID: ActivityID)? {
        let party = try await player.server.party(partyID)
        guard let adventureID = party.adventureID else { return nil }
        if let previous, previous.adventureID == adventureID { return previous }
        let adventure = try await player.server.adventure(adventureID)
        _ = try await tablet?.startActivity(of: adventure, party)
        let (activityID, _) = try await player.startActivity(of: adventure, party)
        return (adventureID, activityID)
    }

    /// Plays an adventure until it is over: decides after each event, and again while the phone lags behind.
    private func playOn(_ adventureID: AdventureID, following activityID: ActivityID) async throws {
        let start = try await player.server.adventure(adventureID)
        // A slow player decides once for all events since its last decision.
        let (wakeups, wakeup) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        wakeup.yield()
        try await withThrowingTaskGroup { group in
            group.addTask {
                defer { wakeup.finish() }
                for try await _ in player.server.stream(of: adventureID, after: start.sequence) { wakeup.yield() }
            }
            for await _ in wakeups {
                let adventure = try await player.server.adventure(adventureID)
                guard !adventure.isOver else { break }
                guard try await player.play(in: adventure, following: activityID) else { continue }
                group.addTask {
                    try await Task.sleep(for: pollInterval)
                    wakeup.yield()
                }
            }
            group.cancelAll()
            while let result = await group.nextResult() {
                if case .failure(let error) = result, !(error is CancellationError) { throw error }
            }
        }
    }
}

public import Foundation
import Synchronization

/// The players that people have attached to phones, one to each.
public final class AttachedPlayers: Sendable {
    /// Why a player cannot be attached or let go.
    public enum Refusal: Error {
        /// Another player plays on the phone.
        case phoneIsTaken
        /// Nobody plays on the phone.
        case nobodyThere
    }

    private enum Seat {
        /// Somebody is about to play.
        case reserved
        case taken(AttachedPlayer, leave: AsyncStream<Void>.Continuation)
    }

    private typealias Arrival = (player: AttachedPlayer, stay: AsyncStream<Void>)

    private let server: URL
    private let seats = Mutex<[UUID: Seat]>([:])
    private let arrivals: AsyncStream<Arrival>
    private let arrival: AsyncStream<Arrival>.Continuation

    /// No players yet.
    /// - Parameter server: where rangersd is.
    public init(at server: URL) {
        self.server = server
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    /// Who plays on which phone.
    public var players: [UUID: AttachedPlayer] {
        seats.withLock { seats in
            seats.compactMapValues { seat in
                switch seat {
                case .reserved: nil
                case .taken(let player, _): player
                }
            }
        }
    }

    /// Lets a new player join a party and play on a phone, while ``run()`` does.
    /// - Parameters:
    ///   - role: who it is to be; language and frequent pushes are the phone's.
    ///   - inviteCode: the party's.
    ///   - phoneID: which phone it is.
    ///   - simulator: where the phone is.
    /// - Returns: the player.
    /// - Throws: ``Refusal/phoneIsTaken``; `RangersError`, when the server does not take the player.
    public func attach(
        _ role: PlayerRole,
        joining inviteCode: String,
        on phoneID: UUID,
        of simulator: SimulatorClient
    ) async throws -> AttachedPlayer {
        let isFree = seats.withLock { seats in
            guard seats[phoneID] == nil else { return false }
            seats[phoneID] = .reserved
            return true
        }
        guard isFree else { throw Refusal.phoneIsTaken }
        do {
            let player = try await AttachedPlayer.join(
                as: role,
                by: inviteCode,
                at: server,
                with: simulator,
                on: phoneID
            )
            let (stay, leave) = AsyncStream.makeStream(of: Void.self)
            seats.withLock { $0[phoneID] = .taken(player, leave: leave) }
            arrival.yield((player, stay))
            return player
        } catch {
            seats.withLock { _ = $0.removeValue(forKey: phoneID) }
            throw error
        }
    }

    /// Lets a player leave the party and the phone.
    /// - Throws: ``Refusal/nobodyThere``; `RangersError`, when the server does not let the player go.
    public func detach(from phoneID: UUID) async throws {
        guard let player = players[phoneID] else { throw Refusal.nobodyThere }
        try await player.leave()
        letGo(player)
    }

    /// Plays, until the task is cancelled.
    public func run() async {
        await withDiscardingTaskGroup { group in
            for await (player, stay) in arrivals {
                group.addTask { [self] in
                    await withTaskGroup { group in
                        group.addTask { await player.play() }
                        group.addTask { for await _ in stay {} }
                        await group.next()
                        group.cancelAll()
                    }
                    letGo(player)
                }
            }
        }
    }

    /// Frees the phone, unless another player plays on it by now.
    private func letGo(_ player: AttachedPlayer) {
        let leave = seats.withLock { seats in
            guard case .taken(let current, let leave) = seats[player.phoneID], current.id == player.id else {
                return nil as AsyncStream<Void>.Continuation?
            }
            seats[player.phoneID] = nil
            return leave
        }
        leave?.finish()
    }
}

public import Foundation
import Synchronization

/// The players that are attached to phones, at most one for each phone.
public final class AttachedPlayers: Sendable {
    /// The reason why a player cannot be attached or detached.
    public enum AttachmentError: Error {
        /// The phone already has a player.
        case phoneIsTaken
        /// The phone has no player.
        case noPlayer
    }

    private enum Attachment {
        /// A player is being attached.
        case reserved
        case attached(AttachedPlayer, leave: AsyncStream<Void>.Continuation)
    }

    private typealias Arrival = (player: AttachedPlayer, stay: AsyncStream<Void>)

    private let server: URL
    private let attachments = Mutex<[UUID: Attachment]>([:])
    private let arrivals: AsyncStream<Arrival>
    private let arrival: AsyncStream<Arrival>.Continuation

    /// Creates an empty collection.
    /// - Parameter server: the address of rangersd.
    public init(at server: URL) {
        self.server = server
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    /// The players by phone.
    public var players: [UUID: AttachedPlayer] {
        attachments.withLock { attachments in
            attachments.compactMapValues { attachment in
                switch attachment {
                case .reserved: nil
                case .attached(let player, _): player
                }
            }
        }
    }

    /// Registers a player, joins a party and plays on a phone while ``run()`` runs.
    /// - Parameters:
    ///   - role: the player's role, with the phone's locale and frequent pushes.
    ///   - inviteCode: the party's invite code.
    ///   - phoneID: the phone.
    ///   - simulator: the simulator with the phone.
    /// - Returns: the player.
    /// - Throws: ``AttachmentError/phoneIsTaken``; `RangersError` when the server rejects the player.
    public func attach(
        _ role: PlayerRole,
        joining inviteCode: String,
        on phoneID: UUID,
        of simulator: SimulatorClient
    ) async throws -> AttachedPlayer {
        let isFree = attachments.withLock { attachments in
            guard attachments[phoneID] == nil else { return false }
            attachments[phoneID] = .reserved
            return true
        }
        guard isFree else { throw AttachmentError.phoneIsTaken }
        do {
            let player = try await AttachedPlayer.join(
                as: role,
                by: inviteCode,
                at: server,
                with: simulator,
                on: phoneID
            )
            let (stay, leave) = AsyncStream.makeStream(of: Void.self)
            attachments.withLock { $0[phoneID] = .attached(player, leave: leave) }
            arrival.yield((player, stay))
            return player
        } catch {
            attachments.withLock { _ = $0.removeValue(forKey: phoneID) }
            throw error
        }
    }

    /// Detaches a phone's player, who leaves the party.
    /// - Throws: ``AttachmentError/noPlayer``; `RangersError` when the server cannot erase the player.
    public func detach(from phoneID: UUID) async throws {
        guard let player = players[phoneID] else { throw AttachmentError.noPlayer }
        try await player.leave()
        release(player)
    }

    /// Plays until cancellation.
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
                    release(player)
                }
            }
        }
    }

    /// Frees the phone, unless it has another player by now.
    private func release(_ player: AttachedPlayer) {
        let leave = attachments.withLock { attachments in
            guard case .attached(let current, let leave) = attachments[player.phoneID], current.id == player.id else {
                return nil as AsyncStream<Void>.Continuation?
            }
            attachments[player.phoneID] = nil
            return leave
        }
        leave?.finish()
    }
}

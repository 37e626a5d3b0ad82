import GameCore
import GameLog
import GameStore

/// The receiving end of an event stream: a bounded buffer of frames for one client.
final class StreamSubscriber: Sendable {
    /// What entitles a client to events.
    enum Access: Hashable {
        /// A player's membership, and the SHA-256 of the token that opened the stream.
        case member(Membership, tokenHash: [UInt8])
        /// A link for spectators, who get no events about what players have chosen.
        case spectator(SpectatorLink)

        /// Whether the client is a spectator.
        var isSpectator: Bool { if case .spectator = self { true } else { false } }
    }

    /// The adventure of the stream.
    let adventureID: AdventureID
    /// The event after which the client wants events.
    let resumption: Resumption
    /// What entitles the client to the events.
    let access: Access
    /// The frames in order.
    ///
    /// The sequence ends with the stream.
    let frames: AsyncStream<StreamFrame>
    private let buffer: AsyncStream<StreamFrame>.Continuation
    private let disconnect: @Sendable () -> Void
    /// Held as long as the stream is open.
    private let slots: [StreamSlots.Slot]

    /// Creates a subscriber with an empty buffer.
    /// - Parameters:
    ///   - adventureID: the adventure of the stream.
    ///   - resumption: the event after which the client wants events.
    ///   - access: what entitles the client to the events.
    ///   - maxBufferedFrames: the capacity of the buffer.
    ///   - slots: the slots that the stream holds.
    ///   - disconnect: closes the client's connection, even during a write.
    init(
        to adventureID: AdventureID,
        after resumption: Resumption,
        for access: Access,
        maxBufferedFrames: Int,
        holding slots: [StreamSlots.Slot],
        disconnect: @escaping @Sendable () -> Void
    ) {
        self.adventureID = adventureID
        self.resumption = resumption
        self.access = access
        self.slots = slots
        self.disconnect = disconnect
        (frames, buffer) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(maxBufferedFrames))
    }

    /// Buffers a frame.
    ///
    /// If the buffer is full, the client reads too slowly and is disconnected; it may reconnect.
    func send(_ frame: StreamFrame) {
        switch buffer.yield(frame) {
        case .dropped:
            buffer.finish()
            disconnect()
        case .enqueued, .terminated: break
        @unknown default: break
        }
    }

    /// Ends the stream after the buffered frames.
    func finish() {
        buffer.finish()
    }
}

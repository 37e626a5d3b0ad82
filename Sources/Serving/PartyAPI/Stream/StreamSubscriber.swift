import GameCore
import GameStore

/// The receiving end of an event stream: a bounded buffer of frames for one client.
final class StreamSubscriber: Sendable {
    /// The adventure of the stream.
    let adventureID: AdventureID
    /// The event after which the client wants events.
    let resumption: Resumption
    /// The membership that entitles the player to the events.
    let membership: Membership
    /// The SHA-256 of the token that opened the stream.
    let tokenHash: [UInt8]
    /// The frames in order.
    ///
    /// The sequence ends with the stream.
    let frames: AsyncStream<StreamFrame>
    private let buffer: AsyncStream<StreamFrame>.Continuation
    private let disconnect: @Sendable () -> Void
    /// The player's slot, held as long as the stream is open.
    private let slot: StreamSlots.Slot?

    /// Creates a subscriber with an empty buffer.
    /// - Parameters:
    ///   - adventureID: the adventure of the stream.
    ///   - resumption: the event after which the client wants events.
    ///   - membership: the membership that entitles the player to the events.
    ///   - tokenHash: the SHA-256 of the token that opened the stream.
    ///   - maxBufferedFrames: the capacity of the buffer.
    ///   - slot: the player's slot.
    ///   - disconnect: closes the client's connection, even during a write.
    init(
        to adventureID: AdventureID,
        after resumption: Resumption,
        by membership: Membership,
        tokenHash: [UInt8],
        maxBufferedFrames: Int,
        slot: StreamSlots.Slot?,
        disconnect: @escaping @Sendable () -> Void
    ) {
        self.adventureID = adventureID
        self.resumption = resumption
        self.membership = membership
        self.tokenHash = tokenHash
        self.slot = slot
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

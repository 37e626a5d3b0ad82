import GameCore
import GameStore

/// One client's side of an event stream: frames wait here until they are written, so many at most.
final class Follower: Sendable {
    /// Whose events it gets.
    let adventureID: AdventureID
    /// What entitles the player to them.
    let membership: Membership
    /// The SHA-256 of the token that the stream was opened with.
    let tokenHash: [UInt8]
    /// What is to be written, in order; ends when nothing more will be.
    let frames: AsyncStream<StreamFrame>
    private let waiting: AsyncStream<StreamFrame>.Continuation
    private let disconnect: @Sendable () -> Void
    /// Held for as long as it follows.
    private let place: StreamPlaces.Place?

    /// - Parameters:
    ///   - adventureID: whose events it gets.
    ///   - membership: what entitles the player to them.
    ///   - tokenHash: the SHA-256 of the token that the stream was opened with.
    ///   - mostWaiting: how many frames wait at most.
    ///   - place: the player's, for as long as it follows.
    ///   - disconnect: cuts the client off, in the middle of a write too.
    init(
        of adventureID: AdventureID,
        by membership: Membership,
        tokenHash: [UInt8],
        mostWaiting: Int,
        place: StreamPlaces.Place?,
        disconnect: @escaping @Sendable () -> Void
    ) {
        self.adventureID = adventureID
        self.membership = membership
        self.tokenHash = tokenHash
        self.place = place
        self.disconnect = disconnect
        (frames, waiting) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(mostWaiting))
    }

    /// Lets a frame wait to be written; a client who reads so slowly that too many wait is cut off, and may come back.
    func put(_ frame: StreamFrame) {
        switch waiting.yield(frame) {
        case .dropped:
            waiting.finish()
            disconnect()
        case .enqueued, .terminated: break
        @unknown default: break
        }
    }

    /// Ends the stream after what waits already.
    func finish() {
        waiting.finish()
    }
}

/// A limit of the frames without contents that a peer may send in a row.
///
/// PRIORITY, PING, SETTINGS, WINDOW_UPDATE, tiny DATA and unknown frames cost the receiver work and the sender nothing;
/// each of them is harmless, so that only their number can be limited.
public struct EmptyFrameLimit: Sendable {
    /// The maximum number of such frames in a row within ``window``: far more than any client or server needs.
    public static let maxFrames = 1_000
    /// The time within which the frames count.
    ///
    /// An idle connection that is kept open by a PING now and then never reaches the limit.
    public static let window = Duration.seconds(60)

    private var count = 0
    private var countedSince: ContinuousClock.Instant?

    /// Creates a limit with nothing received.
    public init() {}

    /// Counts a received frame.
    /// - Parameters:
    ///   - header: the frame.
    ///   - now: the present moment, which is read for few frames only.
    /// - Returns: whether the limit is exceeded: the connection must be ended with ENHANCE_YOUR_CALM.
    public mutating func received(
        _ header: HTTP2FrameHeader,
        at now: @autoclosure () -> ContinuousClock.Instant
    ) -> Bool {
        guard !header.carriesContents else {
            advanced()
            return false
        }
        count += 1
        if count > 1, count <= Self.maxFrames { return false }
        let now = now()
        if count > 1, let countedSince, now - countedSince < Self.window { return true }
        (count, countedSince) = (1, now)
        return false
    }

    /// Begins a new count, since a message was received or sent in part.
    public mutating func advanced() {
        count = 0
    }
}

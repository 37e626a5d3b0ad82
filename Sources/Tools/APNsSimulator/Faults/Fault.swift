/// Something that goes wrong on demand, with pushes that are in order otherwise.
struct Fault: Sendable {
    /// What goes wrong.
    enum Deed: Equatable, Sendable {
        /// The push is accepted, and its answer takes its time.
        case latency(Latency)
        /// The push is refused, for whatever reason.
        case refusal(APNsRefusal)
        /// The connection is told to go, with a reason; this push was not processed.
        case goAway(APNsRefusal)
        /// The push's stream is reset.
        case reset(ResetCode)
        /// The push is accepted, and the connection breaks before the answer is there.
        case lostAnswer
        /// The push is accepted, and its connection may have one stream only.
        case oneStream
        /// The connection breaks, and the push was not processed.
        case connectionDrop
        /// The push is neither processed nor answered, ever.
        case stall
    }

    /// What a stream can be reset with.
    enum ResetCode: String, CaseIterable, Sendable {
        /// The sender cannot know whether the push was processed; it was not.
        case internalError
        /// The push was not processed.
        case refusedStream
    }

    /// What goes wrong.
    let deed: Deed
    /// Where it does; at the door of channels all that is said here of pushes goes for requests there.
    var door = Door.pushes
    /// Pushes to this token only; nil for those to any.
    var token: PushToken?
    /// Pushes with this topic only; nil for those with any.
    var topic: String?
    /// With how many of those pushes: more than 0, and 1 for all.
    var probability = 1.0
    /// How many it strikes at most.
    var pushes: Int?
    /// For how long it does, from its beginning on.
    var seconds: Int64?
}

/// Something that goes wrong with pushes at the simulator, as its API takes it.
public struct PushFault: Encodable, Hashable, Sendable {
    /// What goes wrong.
    public enum Kind: String, Encodable, Sendable {
        /// The connection breaks, and the push was not processed.
        case connectionDrop
        /// The push is accepted, and the connection breaks before the answer is there.
        case lostAnswer
        /// The push is neither processed nor answered, ever.
        case stall
    }

    /// What goes wrong.
    public let fault: Kind
    /// With how many of the pushes: more than 0, and 1 for all.
    public let probability: Double

    /// What goes wrong, and how often.
    public init(_ fault: Kind, probability: Double) {
        self.fault = fault
        self.probability = probability
    }
}

/// A fault for the simulator to inject into pushes.
public struct PushFault: Encodable, Hashable, Sendable {
    /// The fault's kind.
    public enum Kind: String, CaseIterable, Encodable, Sendable {
        /// The connection closes, and the push is not processed.
        case connectionDrop
        /// The push is accepted, and the connection closes before the response is sent.
        case lostResponse
        /// The push is neither processed nor answered.
        case stall
    }

    /// The fault's kind.
    public let fault: Kind
    /// The share of pushes that the fault hits: above 0, at most 1.
    public let probability: Double

    /// Creates a fault.
    public init(_ fault: Kind, probability: Double) {
        self.fault = fault
        self.probability = probability
    }
}

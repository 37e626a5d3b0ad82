import Encodings

/// A fault in the API: its description, its number and its progress.
struct FaultView: Encodable, Sendable {
    let faultID: Int
    /// The number of pushes that the fault was injected into.
    let matchedPushes: Int
    /// Whether the fault has reached its limit of pushes or time.
    let isOver: Bool
    private let fault: FaultDescription

    /// Describes a fault at a time.
    init(_ entry: PushFaultInjector.Entry, at now: Timestamp) {
        faultID = entry.number
        matchedPushes = entry.matchedPushes
        isOver = entry.isOver(at: now)
        fault = FaultDescription(entry.fault)
    }

    private enum CodingKeys: CodingKey {
        case faultID
        case matchedPushes
        case isOver
    }

    func encode(to encoder: any Encoder) throws {
        try fault.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(faultID, forKey: .faultID)
        try fields.encode(matchedPushes, forKey: .matchedPushes)
        try fields.encode(isOver, forKey: .isOver)
    }
}

extension FaultDescription {
    /// Creates the description with which the API adds the same fault.
    init(_ fault: Fault) {
        self.init(fault: Kind(fault.effect).rawValue)
        switch fault.effect {
        case .latency(.constant(let milliseconds)):
            distribution = Distribution.constant.rawValue
            self.milliseconds = milliseconds
        case .latency(.uniform(let range)):
            distribution = Distribution.uniform.rawValue
            milliseconds = range.lowerBound
            toMilliseconds = range.upperBound
        case .latency(.exponential(let mean)):
            distribution = Distribution.exponential.rawValue
            milliseconds = mean
        case .rejection(let rejection), .goAway(let rejection): reason = rejection.rawValue
        case .reset(let code): errorCode = code.rawValue
        case .lostResponse, .oneStream, .connectionDrop, .stall: break
        }
        probability = fault.probability
        pushes = fault.pushes
        seconds = fault.seconds
        endpoint = fault.endpoint.rawValue
        token = fault.token?.hexadecimal
        topic = fault.topic
    }
}

extension FaultDescription.Kind {
    /// Creates the kind of an effect.
    init(_ effect: Fault.Effect) {
        self =
            switch effect {
            case .latency: .latency
            case .rejection: .rejection
            case .goAway: .goAway
            case .reset: .reset
            case .lostResponse: .lostResponse
            case .oneStream: .oneStream
            case .connectionDrop: .connectionDrop
            case .stall: .stall
            }
    }
}

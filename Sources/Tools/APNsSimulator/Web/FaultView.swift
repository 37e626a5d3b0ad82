/// A fault as the API tells of it: as it was asked for, with its number and what became of it.
struct FaultView: Encodable, Sendable {
    let faultID: Int
    /// How many pushes it has struck.
    let struck: Int
    /// Whether it strikes nothing any more.
    let isOver: Bool
    private let fault: NewFault

    /// The fault as it is at that time.
    init(_ entry: FaultBook.Entry, at now: Moment) {
        faultID = entry.number
        struck = entry.struck
        isOver = entry.isOver(at: now)
        fault = NewFault(entry.fault)
    }

    private enum CodingKeys: CodingKey {
        case faultID
        case struck
        case isOver
    }

    func encode(to encoder: any Encoder) throws {
        try fault.encode(to: encoder)
        var fields = encoder.container(keyedBy: CodingKeys.self)
        try fields.encode(faultID, forKey: .faultID)
        try fields.encode(struck, forKey: .struck)
        try fields.encode(isOver, forKey: .isOver)
    }
}

extension NewFault {
    /// What would have to be asked for to get that fault.
    init(_ fault: Fault) {
        self.init(fault: Kind(fault.deed).rawValue)
        switch fault.deed {
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
        case .refusal(let refusal), .goAway(let refusal): reason = refusal.rawValue
        case .reset(let code): errorCode = code.rawValue
        case .lostAnswer, .oneStream, .connectionDrop, .stall: break
        }
        probability = fault.probability
        pushes = fault.pushes
        seconds = fault.seconds
        door = fault.door.rawValue
        token = fault.token?.hexadecimal
        topic = fault.topic
    }
}

extension NewFault.Kind {
    /// The name of what goes wrong.
    init(_ deed: Fault.Deed) {
        self =
            switch deed {
            case .latency: .latency
            case .refusal: .refusal
            case .goAway: .goAway
            case .reset: .reset
            case .lostAnswer: .lostAnswer
            case .oneStream: .oneStream
            case .connectionDrop: .connectionDrop
            case .stall: .stall
            }
    }
}

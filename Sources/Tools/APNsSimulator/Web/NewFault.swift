/// A fault as the API takes it and tells of it.
struct NewFault: RequestBody, Encodable {
    /// What goes wrong; see ``Kind``.
    let fault: String
    /// For `refusal` and `goAway`: one of Apple's reasons.
    var reason: String?
    /// For `reset`: `internalError`, unless it is `refusedStream`.
    var errorCode: String?
    /// For `latency`: `constant`, unless it is `uniform` or `exponential`.
    var distribution: String?
    /// For `latency`: the time, the shortest time, or the mean.
    var milliseconds: Int?
    /// For `latency` with `uniform`: the longest time.
    var toMilliseconds: Int?
    /// Of the pushes that it concerns, how many it strikes; all of them when it is left out.
    var probability: Double?
    /// How many pushes it strikes at most.
    var pushes: Int?
    /// For how long it does.
    var seconds: Int64?
    /// Where: `pushes`, unless it is `channels`.
    var door: String?
    /// Only pushes to that token.
    var token: String?
    /// Only pushes with that topic; of a broadcast that is the app's bundle identifier.
    var topic: String?

    /// The names of what can go wrong.
    enum Kind: String, CaseIterable, Encodable {
        case latency
        case refusal
        case goAway
        case reset
        case lostAnswer
        case oneStream
        case connectionDrop
        case stall
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case fault
        case reason
        case errorCode
        case distribution
        case milliseconds
        case toMilliseconds
        case probability
        case pushes
        case seconds
        case door
        case token
        case topic
    }

    /// What it asks for.
    /// - Throws: ``Problem`` with every field that is not as it must be.
    func checked() throws(Problem) -> Fault {
        var check = FieldCheck()
        let kind = check.value(of: Kind.self, fault, "fault")
        check.refuse([
            "reason": reason != nil && kind != .refusal && kind != .goAway,
            "errorCode": errorCode != nil && kind != .reset,
            "distribution": distribution != nil && kind != .latency,
            "milliseconds": milliseconds != nil && kind != .latency,
            "token": token != nil && door == Door.channels.rawValue,
            "toMilliseconds": toMilliseconds != nil && distribution != Distribution.uniform.rawValue,
        ])
        let deed: Fault.Deed? = if let kind { deed(kind, &check) } else { nil }
        if let probability, !(probability > 0 && probability <= 1) {
            check.found("probability", "more than 0, and 1 at most")
        }
        if let pushes, pushes < 1 { check.found("pushes", "1 at least") }
        if let seconds, !(1...86_400).contains(seconds) { check.found("seconds", "1 to 86400") }
        let door = check.value(of: Door.self, door ?? Door.pushes.rawValue, "door")
        let pushToken = token.flatMap { PushToken(hexadecimal: $0) }
        if token != nil, pushToken == nil { check.found("token", "a push token in hexadecimal") }
        if let topic, topic.isEmpty { check.found("topic", "such as com.example.rangers.push-type.liveactivity") }
        guard let deed, let door, check.errors.isEmpty else { throw Problem.invalidFields(check.errors) }
        return Fault(
            deed: deed,
            door: door,
            token: pushToken,
            topic: topic,
            probability: probability ?? 1,
            pushes: pushes,
            seconds: seconds
        )
    }

    private func deed(_ kind: Kind, _ check: inout FieldCheck) -> Fault.Deed? {
        switch kind {
        case .latency: latency(&check).map(Fault.Deed.latency)
        case .refusal: check.value(of: APNsRefusal.self, reason, "reason").map(Fault.Deed.refusal)
        case .goAway: check.value(of: APNsRefusal.self, reason, "reason").map(Fault.Deed.goAway)
        case .reset:
            check.value(of: Fault.ResetCode.self, errorCode ?? Fault.ResetCode.internalError.rawValue, "errorCode")
                .map(Fault.Deed.reset)
        case .lostAnswer: .lostAnswer
        case .oneStream: .oneStream
        case .connectionDrop: .connectionDrop
        case .stall: .stall
        }
    }

    /// The names of how latencies are distributed.
    enum Distribution: String, CaseIterable {
        case constant
        case uniform
        case exponential
    }

    private func latency(_ check: inout FieldCheck) -> Latency? {
        let times = 0...Latency.longestMilliseconds
        guard let milliseconds, times.contains(milliseconds) else {
            check.found("milliseconds", "0 to \(Latency.longestMilliseconds)")
            return nil
        }
        switch check.value(of: Distribution.self, distribution ?? Distribution.constant.rawValue, "distribution") {
        case nil: return nil
        case .constant: return .constant(milliseconds: milliseconds)
        case .exponential: return .exponential(meanMilliseconds: milliseconds)
        case .uniform:
            guard let toMilliseconds, (milliseconds...times.upperBound).contains(toMilliseconds) else {
                check.found("toMilliseconds", "\(milliseconds) to \(Latency.longestMilliseconds)")
                return nil
            }
            return .uniform(milliseconds...toMilliseconds)
        }
    }
}

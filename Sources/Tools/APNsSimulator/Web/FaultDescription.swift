/// A fault as the API accepts and describes it.
struct FaultDescription: RequestBody, Encodable {
    /// The fault's kind; see ``Kind``.
    let fault: String
    /// For `rejection` and `goAway`: one of Apple's reasons.
    var reason: String?
    /// For `reset`: `internalError` (the default) or `refusedStream`.
    var errorCode: String?
    /// For `latency`: `constant` (the default), `uniform` or `exponential`.
    var distribution: String?
    /// For `latency`: the delay, the shortest delay, or the mean.
    var milliseconds: Int?
    /// For `uniform`: the longest delay.
    var toMilliseconds: Int?
    /// The share of matching pushes that the fault hits; 1 by default.
    var probability: Double?
    /// The maximum number of pushes that the fault hits.
    var pushes: Int?
    /// The duration of the fault, in seconds.
    var seconds: Int64?
    /// The endpoint: `pushes` (the default) or `channels`.
    var endpoint: String?
    /// Limits the fault to pushes to this token.
    var token: String?
    /// Limits the fault to pushes with this topic; a broadcast's topic is the app's bundle identifier.
    var topic: String?

    /// The kinds of faults.
    enum Kind: String, CaseIterable, Encodable {
        case latency
        case rejection
        case goAway
        case reset
        case lostResponse
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
        case endpoint
        case token
        case topic
    }

    /// Validates the description and returns the fault.
    /// - Throws: ``SimulatorProblem`` with all invalid fields.
    func checked() throws(SimulatorProblem) -> Fault {
        var check = FieldValidation()
        let kind = check.value(of: Kind.self, fault, "fault")
        check.rejectMisplaced([
            "reason": reason != nil && kind != .rejection && kind != .goAway,
            "errorCode": errorCode != nil && kind != .reset,
            "distribution": distribution != nil && kind != .latency,
            "milliseconds": milliseconds != nil && kind != .latency,
            "token": token != nil && endpoint == Endpoint.channels.rawValue,
            "toMilliseconds": toMilliseconds != nil && distribution != Distribution.uniform.rawValue,
        ])
        let effect: Fault.Effect? = if let kind { effect(kind, &check) } else { nil }
        if let probability, !(probability > 0 && probability <= 1) {
            check.addError("probability", "must be above 0 and at most 1")
        }
        if let pushes, pushes < 1 { check.addError("pushes", "must be at least 1") }
        if let seconds, !(1...86_400).contains(seconds) { check.addError("seconds", "must be from 1 to 86400") }
        let endpoint = check.value(of: Endpoint.self, endpoint ?? Endpoint.pushes.rawValue, "endpoint")
        let pushToken = token.flatMap { PushToken(hexadecimal: $0) }
        if token != nil, pushToken == nil { check.addError("token", "must be a push token in hexadecimal") }
        if let topic, topic.isEmpty {
            check.addError("topic", "must be a topic such as com.example.rangers.push-type.liveactivity")
        }
        guard let effect, let endpoint, check.errors.isEmpty else { throw SimulatorProblem.invalidFields(check.errors) }
        return Fault(
            effect: effect,
            endpoint: endpoint,
            token: pushToken,
            topic: topic,
            probability: probability ?? 1,
            pushes: pushes,
            seconds: seconds
        )
    }

    private func effect(_ kind: Kind, _ check: inout FieldValidation) -> Fault.Effect? {
        switch kind {
        case .latency: latency(&check).map(Fault.Effect.latency)
        case .rejection: check.value(of: RejectionReason.self, reason, "reason").map(Fault.Effect.rejection)
        case .goAway: check.value(of: RejectionReason.self, reason, "reason").map(Fault.Effect.goAway)
        case .reset:
            check.value(of: Fault.ResetCode.self, errorCode ?? Fault.ResetCode.internalError.rawValue, "errorCode")
                .map(Fault.Effect.reset)
        case .lostResponse: .lostResponse
        case .oneStream: .oneStream
        case .connectionDrop: .connectionDrop
        case .stall: .stall
        }
    }

    /// The distributions of latencies.
    enum Distribution: String, CaseIterable {
        case constant
        case uniform
        case exponential
    }

    private func latency(_ check: inout FieldValidation) -> Latency? {
        let times = 0...Latency.maxMilliseconds
        guard let milliseconds, times.contains(milliseconds) else {
            check.addError("milliseconds", "must be from 0 to \(Latency.maxMilliseconds)")
            return nil
        }
        switch check.value(of: Distribution.self, distribution ?? Distribution.constant.rawValue, "distribution") {
        case nil: return nil
        case .constant: return .constant(milliseconds: milliseconds)
        case .exponential: return .exponential(meanMilliseconds: milliseconds)
        case .uniform:
            guard let toMilliseconds, (milliseconds...times.upperBound).contains(toMilliseconds) else {
                check.addError("toMilliseconds", "must be from \(milliseconds) to \(Latency.maxMilliseconds)")
                return nil
            }
            return .uniform(milliseconds...toMilliseconds)
        }
    }
}

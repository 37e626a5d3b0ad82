import Encodings

/// The added faults, and the number of pushes that each of them has hit.
///
/// Each fault draws from its own generator, seeded with the injector's seed and the fault's number. The same seed,
/// faults and order of pushes therefore give the same injections, regardless of other faults.
struct PushFaultInjector: Sendable {
    /// The maximum number of faults; it bounds the work for each push when a script keeps adding them.
    static let maxFaults = 1000

    /// A fault that was added, and its progress.
    struct Entry: Sendable {
        /// The fault's number: from 1, in order of addition.
        let number: Int
        let fault: Fault
        let since: Timestamp
        /// The number of pushes that the fault was injected into.
        fileprivate(set) var matchedPushes = 0
        fileprivate var generator: SplitMix64

        /// Whether the fault has reached its limit of pushes or time.
        func isOver(at now: Timestamp) -> Bool {
            if let pushes = fault.pushes, matchedPushes >= pushes { return true }
            guard let seconds = fault.seconds else { return false }
            return now.epochMilliseconds - since.epochMilliseconds >= seconds * 1000
        }
    }

    /// The faults that apply to one push.
    struct Injection: Equatable, Sendable {
        /// The delay of the response: the sum of all latencies.
        var delay = Duration.zero
        /// Whether the push's connection is limited to one stream.
        var isLimitedToOneStream = false
        /// The effect of the earliest fault with any other effect.
        var effect: Fault.Effect?
        /// The time at which the fault with `effect` was added.
        var since: Timestamp?

        /// The processing of a request under the injected faults.
        enum Processing {
            /// Processed, though the response may be late or lost.
            case processed
            /// Rejected, and not processed.
            case rejected(RejectionReason)
            /// Neither processed nor answered.
            case unprocessed
        }

        var processing: Processing {
            switch effect {
            case nil, .latency, .oneStream, .lostResponse: .processed
            case .rejection(let rejection): .rejected(rejection)
            case .goAway, .reset, .connectionDrop, .stall: .unprocessed
            }
        }

        /// The name of the most severe fault; nil without a fault.
        var name: FaultDescription.Kind? {
            if let effect { return FaultDescription.Kind(effect) }
            if isLimitedToOneStream { return .oneStream }
            return delay > .zero ? .latency : nil
        }
    }

    /// The seed of all faults' generators.
    let seed: UInt64
    /// The faults in order of addition.
    private(set) var entries: [Entry] = []
    private var lastNumber = 0

    init(seed: UInt64) {
        self.seed = seed
    }

    /// Adds a fault.
    ///
    /// At the limit of ``maxFaults``, faults that are over are removed first.
    /// - Returns: the entry; nil at the limit of ``maxFaults``.
    mutating func add(_ fault: Fault, at now: Timestamp) -> Entry? {
        if entries.count >= Self.maxFaults { entries.removeAll { $0.isOver(at: now) } }
        guard entries.count < Self.maxFaults else { return nil }
        lastNumber += 1
        // SplitMix64's step spreads neighbouring seeds, so their sequences are unrelated.
        let generator = SplitMix64(seed: seed ^ (UInt64(lastNumber) << 32))
        let entry = Entry(number: lastNumber, fault: fault, since: now, generator: generator)
        entries.append(entry)
        return entry
    }

    /// Removes a fault.
    /// - Returns: false for an unknown number.
    mutating func remove(_ number: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Removes all faults.
    mutating func removeAll() {
        entries = []
    }

    /// Draws the faults for a request.
    /// - Parameters:
    ///   - endpoint: where the request arrived.
    ///   - token: the token of a push to a device; nil for any other request.
    ///   - topic: the request's topic.
    ///   - now: the current time.
    /// - Returns: the faults to apply.
    mutating func inject(at endpoint: Endpoint, token: PushToken?, topic: String, now: Timestamp) -> Injection {
        var injection = Injection()
        for index in entries.indices {
            let fault = entries[index].fault
            guard !entries[index].isOver(at: now), fault.endpoint == endpoint,
                fault.token == nil || fault.token == token,
                fault.topic == nil || fault.topic == topic,
                entries[index].generator.nextFraction() < fault.probability
            else { continue }
            switch fault.effect {
            case .latency(let latency):
                injection.delay += latency.sample(using: &entries[index].generator)
            case .oneStream:
                injection.isLimitedToOneStream = true
            case .rejection, .goAway, .reset, .lostResponse, .connectionDrop, .stall:
                guard injection.effect == nil else { continue }
                injection.effect = fault.effect
                injection.since = entries[index].since
            }
            entries[index].matchedPushes += 1
        }
        return injection
    }
}

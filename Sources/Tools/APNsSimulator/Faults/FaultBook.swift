import Encodings

/// The faults that are wanted, and what they have struck.
///
/// Each draws from a generator of its own, made from the seed and its number: the same seed, faults and pushes in the
/// same order give the same strikes, whatever other faults do.
struct FaultBook: Sendable {
    /// Keeps a script that went astray from making every push slow.
    static let maximumFaults = 1000

    /// A fault in the book.
    struct Entry: Sendable {
        /// 1 and up, in the order in which they were added.
        let number: Int
        let fault: Fault
        let since: Moment
        /// How many pushes it has struck.
        fileprivate(set) var struck = 0
        fileprivate var generator: SeededGenerator

        /// Whether it strikes nothing any more.
        func isOver(at now: Moment) -> Bool {
            if let pushes = fault.pushes, struck >= pushes { return true }
            guard let seconds = fault.seconds else { return false }
            return now.epochMilliseconds - since.epochMilliseconds >= seconds * 1000
        }
    }

    /// What goes wrong with one push.
    struct Strike: Equatable, Sendable {
        /// How long the answer takes, by all latencies together.
        var delay = Duration.zero
        /// Whether the push's connection may have one stream only.
        var isLimitedToOneStream = false
        /// What else goes wrong: at most one thing, of the earliest fault that strikes.
        var deed: Fault.Deed?
        /// When that fault began.
        var since: Moment?

        /// What a strike makes of a request.
        enum Effect {
            /// It is processed, though its answer may be late or lost.
            case processed
            /// It is refused, and not processed.
            case refused(APNsRefusal)
            /// It is neither processed nor answered.
            case unprocessed
        }

        var effect: Effect {
            switch deed {
            case nil, .latency, .oneStream, .lostAnswer: .processed
            case .refusal(let refusal): .refused(refusal)
            case .goAway, .reset, .connectionDrop, .stall: .unprocessed
            }
        }

        /// The name of the worst that goes wrong; nil when nothing does.
        var name: NewFault.Kind? {
            if let deed { return NewFault.Kind(deed) }
            if isLimitedToOneStream { return .oneStream }
            return delay > .zero ? .latency : nil
        }
    }

    /// What the faults are drawn from.
    let seed: UInt64
    /// In the order in which they were added.
    private(set) var entries: [Entry] = []
    private var lastNumber = 0

    init(seed: UInt64) {
        self.seed = seed
    }

    /// Adds a fault, in the place of those that are over if need be; nil when there are too many.
    mutating func add(_ fault: Fault, at now: Moment) -> Entry? {
        if entries.count >= Self.maximumFaults { entries.removeAll { $0.isOver(at: now) } }
        guard entries.count < Self.maximumFaults else { return nil }
        lastNumber += 1
        // The generator's own step makes distant sequences of neighbouring seeds.
        let generator = SeededGenerator(seed: seed ^ (UInt64(lastNumber) << 32))
        let entry = Entry(number: lastNumber, fault: fault, since: now, generator: generator)
        entries.append(entry)
        return entry
    }

    /// Removes a fault.
    /// - Returns: false when there is none of that number.
    mutating func remove(_ number: Int) -> Bool {
        guard let index = entries.firstIndex(where: { $0.number == number }) else { return false }
        entries.remove(at: index)
        return true
    }

    /// Removes all faults.
    mutating func removeAll() {
        entries = []
    }

    /// What goes wrong with a request at a door: to a token, or nil for any but a push to a device, with a topic.
    mutating func strike(_ door: Door, token: PushToken?, topic: String, at now: Moment) -> Strike {
        var strike = Strike()
        for index in entries.indices {
            let fault = entries[index].fault
            guard !entries[index].isOver(at: now), fault.door == door, fault.token == nil || fault.token == token,
                fault.topic == nil || fault.topic == topic,
                entries[index].generator.nextFraction() < fault.probability
            else { continue }
            switch fault.deed {
            case .latency(let latency):
                strike.delay += latency.draw(using: &entries[index].generator)
            case .oneStream:
                strike.isLimitedToOneStream = true
            case .refusal, .goAway, .reset, .lostAnswer, .connectionDrop, .stall:
                guard strike.deed == nil else { continue }
                strike.deed = fault.deed
                strike.since = entries[index].since
            }
            entries[index].struck += 1
        }
        return strike
    }
}

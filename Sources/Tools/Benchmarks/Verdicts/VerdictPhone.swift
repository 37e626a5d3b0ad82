import Encodings
import GameCore
import PushDispatch

/// A simulated device that receives the pushes of one activity, and knows what became of each of them.
///
/// It behaves as Apple and practitioners describe devices: it draws a state within seconds, spends a budget at priority 10, and defers priority
/// 5; APNs keeps the newest push for it while it has no network. Nothing here is known to the judge of verdicts.
struct VerdictPhone {
    /// A push as it reaches the device.
    struct Push {
        let sequence: Int
        let timestamp: Int64
        let isHigh: Bool
        let isEnd: Bool
        let expiration: Timestamp
        let generation: Int
    }

    /// What became of a push.
    enum Fate: Hashable {
        /// The device drew it.
        case drawn
        /// The device or APNs dropped it.
        case dropped(PushVerdict.Cause)
        /// The device or APNs keeps it.
        case kept(PushVerdict.Cause)
        /// A newer state was drawn before it could be.
        case outdated
    }

    /// The cause to plant, and when it begins.
    let cause: PushVerdict.Cause
    let plantedAt: Timestamp
    /// The end of a time without a network that is the planted cause.
    let returnsAt: Timestamp
    /// The difference of its clock to the server's.
    let clockAhead: Duration
    /// A short time without a network.
    let gap: ClosedRange<Timestamp>?
    /// The time in which it saves power, besides a planted one.
    let savingPower: ClosedRange<Timestamp>?
    /// The refill of its budget a second.
    let refill: Double
    private var generator: Generator

    private(set) var fates: [Int64: Fate] = [:]
    /// Every cause that has kept a push from being drawn, for a time or for ever.
    private(set) var causes: [Int64: Set<PushVerdict.Cause>] = [:]
    /// The sequence of the state on the screen, and since when.
    private(set) var drawn: (sequence: Int, at: Timestamp)?
    /// The generation of its newest token.
    var generation = 1
    private(set) var budget: Double
    private(set) var endedAt: Timestamp?
    private var stored: Push?
    private var deferred: [(push: Push, until: Timestamp?)] = []
    private var drawing: [(push: Push, at: Timestamp)] = []

    init(
        _ cause: PushVerdict.Cause,
        at plantedAt: Timestamp,
        returnsAt: Timestamp,
        hasFrequentPushes: Bool,
        start: Timestamp,
        isHard: Bool,
        _ generator: inout Generator
    ) {
        self.cause = cause
        self.plantedAt = plantedAt
        self.returnsAt = returnsAt
        func chance(_ percent: Int) -> Bool { generator.number(below: 100) < percent }
        func second(_ seconds: Range<Int>) -> Duration {
            .seconds(seconds.lowerBound + generator.number(below: seconds.count))
        }
        clockAhead =
            if cause == .clockAhead { second(90..<600) } else if chance(10) { .seconds(-600) } else if chance(20) {
                second(5..<30)
            } else { .milliseconds(generator.number(below: 2_000) - 1_000) }
        let gapAt = start + second(120..<3_000)
        gap = cause != .phoneAway && chance(50) ? gapAt...(gapAt + second(20..<90)) : nil
        let savesAt = start + second(0..<1_200)
        let savesUntil = isHard ? savesAt + .seconds(7_200) : max(savesAt, plantedAt - .seconds(180))
        savingPower = chance(20) ? savesAt...savesUntil : nil
        budget = hasFrequentPushes ? 300 : 15
        refill = budget / 3_600
        self.generator = Generator(seed: UInt64(generator.number(below: .max)))
    }

    // MARK: - State

    func clock(at now: Timestamp) -> Timestamp { now + clockAhead }

    /// The time without a network in which it is now, or which was the last one.
    func lastGap(at now: Timestamp) -> (from: Timestamp, until: Timestamp)? {
        if cause == .phoneAway, now >= plantedAt { return (plantedAt, returnsAt) }
        return gap.flatMap { now >= $0.lowerBound ? ($0.lowerBound, $0.upperBound) : nil }
    }

    func isOnline(at now: Timestamp) -> Bool { lastGap(at: now).map { now >= $0.until } ?? true }

    func savesPower(at now: Timestamp) -> Bool {
        cause == .lowPower && now >= plantedAt || savingPower?.contains(now) == true
    }

    func isPlanted(_ planted: PushVerdict.Cause, at now: Timestamp) -> Bool { cause == planted && now >= plantedAt }

    /// Whether the activity is on the screen.
    func showsActivity(at now: Timestamp) -> Bool { endCause(at: now) == nil }

    private func endCause(at now: Timestamp) -> PushVerdict.Cause? {
        if now >= plantedAt {
            switch cause {
            case .liveActivitiesOff, .dismissed, .ended, .tooOld: return cause
            case .budget, .decode, .staleToken, .phoneAway, .lowPower, .clockAhead: break
            }
        }
        return endedAt.map { $0 <= now } == true ? .ended : nil
    }

    // MARK: - Pushes

    /// Receives a push that APNs has accepted.
    mutating func receive(_ push: Push, at now: Timestamp) {
        // An end whose first try reached the device without a response.
        if push.isEnd, endedAt != nil {
            fates[push.timestamp] = .outdated
            return
        }
        if let cause = endCause(at: now) { return drop(push, cause) }
        guard push.generation == generation else { return drop(push, .staleToken) }
        guard isOnline(at: now) else {
            if let stored { drop(stored, .phoneAway) }
            stored = push
            keep(push, .phoneAway)
            return
        }
        deliver(push, at: now)
    }

    /// Lets a second pass.
    mutating func pass(to now: Timestamp) {
        let isGenerous = !isPlanted(.budget, at: now)
        budget = isGenerous ? min(300, budget + refill) : 0
        if let push = stored, isOnline(at: now) {
            stored = nil
            deliver(push, at: now)
        }
        if let cause = endCause(at: now) {
            for entry in deferred { drop(entry.push, cause) }
            deferred = []
        }
        if !savesPower(at: now) {
            for entry in deferred where (entry.until ?? now) <= now { draw(entry.push, at: now) }
            deferred.removeAll { ($0.until ?? now) <= now }
        }
        for entry in drawing where entry.at <= now { finish(entry.push, at: entry.at) }
        drawing.removeAll { $0.at <= now }
    }

    private mutating func deliver(_ push: Push, at now: Timestamp) {
        if push.expiration <= now { return drop(push, .phoneAway) }
        if push.isHigh {
            if let cause = endCause(at: now) { return drop(push, cause) }
            if budget < 1 { return drop(push, .budget) }
            budget -= 1
            return draw(push, at: now)
        }
        keep(push, .lowPower)
        let isQuick = generator.number(below: 10) < 7
        let delay = isQuick ? generator.number(below: 3) : generator.number(below: 120)
        deferred.append((push, savesPower(at: now) ? nil : now + .seconds(delay)))
    }

    private mutating func draw(_ push: Push, at now: Timestamp) {
        if let cause = endCause(at: now) { return drop(push, cause) }
        if clockAhead >= .seconds(60), !push.isEnd { return drop(push, .clockAhead) }
        if isPlanted(.decode, at: now) { return drop(push, .decode) }
        fates[push.timestamp] = .drawn
        drawing.append((push, now + .milliseconds(100 + generator.number(below: 3_000))))
    }

    private mutating func finish(_ push: Push, at moment: Timestamp) {
        if let drawn, drawn.sequence > push.sequence {
            fates[push.timestamp] = .outdated
            return
        }
        if drawn?.sequence != push.sequence { drawn = (push.sequence, moment) }
        if push.isEnd { endedAt = endedAt ?? moment }
    }

    private mutating func drop(_ push: Push, _ cause: PushVerdict.Cause) {
        fates[push.timestamp] = .dropped(cause)
        causes[push.timestamp, default: []].insert(cause)
    }

    private mutating func keep(_ push: Push, _ cause: PushVerdict.Cause) {
        fates[push.timestamp] = .kept(cause)
        causes[push.timestamp, default: []].insert(cause)
    }
}

import Encodings
import GameCore
import GameLog
import PushCadence
import PushDispatch

/// A run of one follower alone, without driver, database and APNs: of the value that decides about the pushes of a shard.
///
/// Players, operators, APNs and faults act in random order, until the faults stop and the adventures end. ``FollowedShard``
/// checks after each step what must be true at all times.
package struct FollowerRun {
    private let shard: FollowedShard
    private let length: Int
    private var generator: SeededGenerator
    private var ids = SeededIDs()
    private var adventures: [AdventureID] = []
    private var activities: [ActivityKey] = []
    private var saved: ShardDatabase?
    /// The end of the time in which all flushes fail.
    private var flushesFailUntil: Timestamp?
    private let losesCommits: Bool
    /// The boss fights of the run: of two different heroes, or of two who are the same.
    private let fight: Substring
    private let keepsLines: Bool
    private var lines: [String] = []

    /// Creates a run.
    /// - Parameters:
    ///   - seed: the seed, which determines everything.
    ///   - defect: the defect to inject.
    ///   - keepsLines: whether the run describes what the follower does.
    package init(seed: UInt64, defect: Defect? = nil, keepsLines: Bool = false) {
        self.keepsLines = keepsLines
        generator = SeededGenerator(seed: seed)
        losesCommits = seed.isMultiple(of: 3)
        fight = seed.isMultiple(of: 2) ? "twins" : "fight"
        length = Int.random(in: 50...300, using: &generator)
        shard = FollowedShard(
            of: ShardDatabase(at: FollowedShard.start - .seconds(1)),
            policy: [CadencePolicy(), .frugal, .shortLived].randomElement(using: &generator) ?? CadencePolicy(),
            maxInFlight: [1, 2, 100].randomElement(using: &generator) ?? 1,
            leaseLead: 2,
            seed: seed
        )
        shard.database.defect = defect
        shard.pageSize = [1, 2, 1_000].randomElement(using: &generator) ?? 1
    }

    /// Runs to the end.
    /// - Returns: the invariants that did not hold, and what the follower did, a line for each effect.
    package mutating func run() -> (violations: [InvariantViolation], lines: [String]) {
        for _ in 0..<length { step() }
        stopFaults()
        endAdventures()
        finish()
        shard.checkIdle()
        return (shard.violations, lines)
    }

    // MARK: - What happens

    private mutating func step() {
        pass(milliseconds: [0, 1, 100, 1_000, 5_000, 20_000].randomElement(using: &generator) ?? 0)
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<25: play()
        case 25..<40: useApps()
        case 40..<75: answer()
        case 75..<85: flush()
        case 85..<88: shard.evaluateAges()
        case 88..<91: shard.isBlind.toggle()
        case 91..<92 where shard.isBlind: shard.readPage()
        case 92..<96: changeLease()
        case 96..<97: loseCommits()
        case 97..<98: flushesFailUntil = shard.now + .seconds(Int64.random(in: 60...300, using: &generator))
        case 98..<99 where !shard.isBlind:
            shard.staleHead = shard.database.head
            useApps()
            play()
        default: shard.database.moveClock(to: shard.now)
        }
        followUp()
    }

    private mutating func followUp() {
        shard.completeOverdue()
        shard.follow()
        shard.react()
        let new = shard.takeLines()
        if keepsLines { lines += new.map { "\(shard.seconds(shard.now)) \($0)" } }
    }

    private func pass(milliseconds: Int64) { shard.pass(to: shard.now + .milliseconds(milliseconds)) }

    private mutating func play() {
        let (now, kind) = (shard.now, Int.random(in: 0..<20, using: &generator))
        guard kind > 1, let id = adventures.randomElement(using: &generator) else {
            guard adventures.count < 4 else { return }
            let id = ids.adventure()
            adventures.append(id)
            let name: Substring = Bool.random(using: &generator) ? fight : "walk"
            return shard.database.start(id, .named(name), interval: .interval(of: name), at: now)
        }
        let player = PlayerID.player(Int.random(in: 0..<2, using: &generator))
        // The rules refuse some of them.
        switch kind {
        case 2: _ = shard.database.give(.leave(player), to: id, at: now)
        case 3: shard.database.passOutage(of: .seconds(2), at: now)
        case 4: _ = shard.database.give(.end, to: id, at: now)
        case 5..<8: _ = shard.database.give(.command(.policy(.skip), by: player), to: id, at: now)
        default: _ = shard.database.give(.command(.attack, by: player), to: id, at: now)
        }
    }

    private mutating func useApps() {
        let known = activities.filter { shard.database.activities[$0] != nil }
        let kind = Int.random(in: 0..<10, using: &generator)
        guard kind > 3, let key = known.randomElement(using: &generator) else {
            guard activities.count < 10, let id = adventures.randomElement(using: &generator) else { return }
            let key = ActivityKey(adventureID: id, activityID: ids.activity())
            activities.append(key)
            shard.name(key.activityID, "\(activities.count)")
            return register(key, of: Int.random(in: 0..<2, using: &generator))
        }
        switch kind {
        case 4: shard.database.release(key, at: shard.now)
        case 5: shard.database.request(.end, to: key, at: shard.now)
        case 6: shard.database.request(.update, to: key, at: shard.now)
        case 7 where shard.database.activities[key]?.startsAt.map { $0 > shard.now } ?? false:
            shard.database.announceStart(of: key, at: shard.now, now: shard.now)
        default: if let row = shard.database.activities[key] { register(key, of: row.playerID == .player(0) ? 0 : 1) }
        }
    }

    private mutating func register(_ key: ActivityKey, of player: Int) {
        let isInPlay = shard.database.play(key.adventureID) != nil
        guard isInPlay else { return }
        // Most devices keep their setting of frequent pushes.
        let device = 2 * player + Int.random(in: 0..<2, using: &generator)
        let isFrequent = Int.random(in: 0..<20, using: &generator) == 0 ? device > 1 : device < 3
        let isScheduled = Int.random(in: 0..<8, using: &generator) == 0
        let delay = Duration.seconds(Int64.random(in: 0...100, using: &generator))
        shard.database.register(
            Activity(
                id: key.activityID,
                adventureID: key.adventureID,
                playerID: .player(player),
                deviceID: .device(device),
                pushToken: Int.random(in: 0..<20, using: &generator) == 0 ? [] : ids.token(),
                environment: FollowedShard.environment,
                frequentPushesEnabled: isFrequent,
                locale: nil,
                registeredAt: shard.now,
                startsAt: isScheduled ? shard.now + delay : nil
            ),
            at: shard.now
        )
    }

    // MARK: - APNs

    private mutating func answer() {
        // Now and then, an answer comes twice.
        let isLate = Int.random(in: 0..<10, using: &generator) == 0
        let candidates = isLate ? Array(shard.pushes.indices) : shard.unanswered
        guard let index = candidates.randomElement(using: &generator) else { return }
        let registeredAt = shard.database.activities[shard.pushes[index].key]?.tokenRegisteredAt ?? shard.now
        let since = registeredAt + .milliseconds(Int64.random(in: -2_000...2_000, using: &generator))
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: shard.answer(index, .unanswered)
        case 1: shard.answer(index, .neverSent)
        case 2: shard.answer(index, rejected("TooManyRequests", .other, .retry, retryAfter: .seconds(9)))
        case 3: shard.answer(index, rejected("Forbidden", .configuration, .pause))
        case 4: shard.answer(index, rejected("PayloadTooLarge", .other, .drop))
        case 5: shard.answer(index, rejected("BadDeviceToken", .token, .forgetToken))
        case 6: shard.answer(index, rejected("Unregistered", .other, .forgetToken, since: since))
        default: accept(index)
        }
    }

    private func accept(_ index: Int) {
        shard.answer(index, .accepted, report: shard.pushes[index].requestPosition.map { "\($0)" })
    }

    private func rejected(
        _ reason: String,
        _ fault: PushRejection.Fault,
        _ remedy: PushRejection.Remedy,
        retryAfter: Duration = .zero,
        since: Timestamp? = nil
    ) -> PushAnswer {
        .rejected(
            PushRejection(
                reason: reason,
                fault: fault,
                remedy: remedy,
                retryAfter: retryAfter,
                tokenInvalidSinceMilliseconds: since?.epochMilliseconds
            )
        )
    }

    // MARK: - The database and the lease

    private mutating func flush() {
        let scope = [FlushScope.important, .next, .everything].randomElement(using: &generator) ?? .next
        let isFailing = flushesFailUntil.map { shard.now < $0 } ?? false
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where !isFailing: shard.storeBatch()
        case 1: shard.failBatch()
        default:
            guard !shard.hasBatch, shard.isDirty(scope) else { return }
            shard.takeBatch(scope)
            if Bool.random(using: &generator), !isFailing { shard.storeBatch() }
        }
    }

    private mutating func changeLease() {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<2: shard.renew(for: .milliseconds(Int64.random(in: 0...3_000, using: &generator)))
        case 2..<4: shard.renew(for: FollowedShard.leaseDuration)
        case 4: shard.leave()
        case 5: shard.acquireAgain()
        case 6..<8: handOver()
        default:
            // Another node may send once the lease has expired.
            shard.pass(to: shard.now + FollowedShard.expiry)
            if Bool.random(using: &generator) { shard.takeOver() } else { shard.restart() }
        }
    }

    private mutating func handOver() {
        guard flushesFailUntil.map({ shard.now >= $0 }) ?? true else { return }
        shard.leave()
        while let index = shard.unanswered.first { accept(index) }
        shard.handOver()
    }

    private mutating func loseCommits() {
        // In the other runs no end can be lost, so that what follows it is checked strictly.
        guard losesCommits else { return }
        guard let saved, saved.head.head < shard.database.head.head else {
            self.saved = shard.database
            return
        }
        shard.lose(commitsSince: saved)
        self.saved = nil
    }

    // MARK: - The end

    private mutating func stopFaults() {
        shard.isBlind = false
        shard.failBatch()
        shard.acquireAgain()
        followUp()
    }

    private mutating func endAdventures() {
        // Some have ended by now, which the rules refuse to do again.
        shard.database.moveClock(to: shard.now)
        for id in adventures { _ = shard.database.give(.end, to: id, at: shard.now) }
        followUp()
    }

    /// Runs without faults until nothing waits.
    private mutating func finish() {
        for _ in 0..<1_000 {
            if let index = shard.unanswered.first {
                accept(index)
            } else if let dueAt = shard.dueAt {
                shard.pass(to: dueAt)
            } else {
                break
            }
            followUp()
        }
        while shard.isDirty(.everything), !shard.hasBatch {
            shard.takeBatch(.everything)
            shard.storeBatch()
        }
    }
}

import Encodings
import Foundation
import GameCore
import GameEngine
import GameStore
import ServiceRuntime
import SimulatedPlayers

/// The parties of a fan-out: journeys whose activities are updated, and fights whose activities are not.
struct FanOutCrowd: Sendable {
    /// The number of registrations at the same time.
    private static let concurrency = 16

    let parties: Int
    private let length: Duration
    /// The number of activities of each party, by its number.
    private let counts: [Int]
    private let journeys: Set<Int>

    init(activities: Int, tokens: Int, lasting length: Duration) {
        func parties(_ activities: Int) -> Int { (activities + FixturePlan.heroes - 1) / FixturePlan.heroes }
        self.length = length
        // Half of the parties travel.
        let count = 2 * max(parties(tokens), parties(activities - tokens), 1)
        self.parties = count + count % 4
        let plan = Self.plan(of: self.parties, lasting: length, at: Timestamp(epochSeconds: 0))
        var (updated, others) = (tokens, activities - tokens)
        var counts: [Int] = []
        for number in 0..<self.parties {
            let left = plan.isJourney(number) ? updated : others
            let count = min(left, FixturePlan.heroes)
            if plan.isJourney(number) { updated -= count } else { others -= count }
            counts.append(count)
        }
        precondition(updated == 0 && others == 0, "\(updated) and \(others) activities have no party")
        self.counts = counts
        journeys = Set((0..<self.parties).filter(plan.isJourney))
    }

    private static func plan(of parties: Int, lasting length: Duration, at start: Timestamp) -> FixturePlan {
        .simultaneous(parties: parties, journeyTick: FanOutBenchmark.interval, lasting: length, at: start)
    }

    /// Returns the plan whose adventures start at a moment.
    func plan(at start: Timestamp) -> FixturePlan { Self.plan(of: parties, lasting: length, at: start) }

    /// Returns the number of activities of a party.
    func activities(of number: Int) -> Int { counts[number] }

    /// Returns the phones with activities: the parties' numbers and the seats.
    func phones(of plan: FixturePlan) -> [(number: Int, seat: Int)] {
        counts.enumerated().flatMap { number, count in (0..<count).map { (number, $0) } }
    }

    /// Returns the activities that are updated.
    func updated(of plan: FixturePlan) -> Set<ActivityID> {
        Set(phones(of: plan).filter { journeys.contains($0.number) }.map { plan.activityID($0.number, seat: $0.seat) })
    }

    /// Registers all activities at a constant rate, as apps do, with the commands of the game.
    /// - Throws: the errors of the commands.
    func register(_ tokens: [[[UInt8]]], of plan: FixturePlan, on uri: String, within length: Duration) async throws {
        let pool = BenchmarkPostgres.pool(uri, connections: Self.concurrency)
        let commands = GameCommands(
            store: GameStore(pool: pool),
            settings: GameSettings(),
            runtime: .system,
            wakeSignal: WakeSignal()
        )
        let phones = phones(of: plan)
        let start = ContinuousClock.now
        _ = try await concurrently(phones.count, limit: Self.concurrency) { index in
            let (number, seat) = phones[index]
            try await Task.sleep(until: start + length * index / phones.count, clock: .continuous)
            let player = plan.playerID(number, seat: seat)
            let device = DeviceRegistration(
                id: DeviceID(rawValue: player.rawValue),
                environment: .simulator,
                locale: "en",
                appBuild: nil,
                liveActivitiesEnabled: true,
                frequentPushesEnabled: true,
                pushToStartToken: nil,
                alertToken: nil
            )
            _ = try await commands.register(device, of: player, request: nil) { _, _ in
                EncodedResponse(status: 200, body: "")
            }
            let registration = ActivityRegistration(
                id: plan.activityID(number, seat: seat),
                deviceID: device.id,
                pushToken: tokens[number][seat],
                environment: .simulator,
                frequentPushesEnabled: true,
                locale: "en"
            )
            _ = try await commands.register(
                registration,
                for: plan.adventureID(number),
                by: player,
                request: nil
            ) { _, _ in EncodedResponse(status: 200, body: "") }
        }
    }
}

/// When the pushes of each update arrived at the simulator.
struct FanOutLog {
    /// The newest push.
    private(set) var lastNumber = 0
    /// For each complete update, the time from its moment until its last push arrived.
    private(set) var completions: [Duration] = []
    private(set) var incompleteUpdates = 0
    /// For each push of an update, the time from its moment until it arrived.
    private(set) var arrivals: [Duration] = []
    private(set) var unansweredPushes = 0

    /// The pushes of the next update that were logged while this one was read.
    private var early: [LoggedPush] = []
    /// The newest sequence that arrived for each activity whose token has not expired.
    private var sequences: [ActivityID: Int]
    /// The number of pushes that the expired token of each activity got.
    private var expired: [ActivityID: Int] = [:]

    init(of activities: Set<ActivityID>) {
        sequences = Dictionary(uniqueKeysWithValues: activities.map { ($0, 0) })
    }

    /// The number of tokens that were rejected as expired.
    var expiredTokens: Int { expired.count }
    /// The number of pushes to tokens that had been rejected before.
    var repeatedPushes: Int { expired.values.reduce(0) { $0 + $1 - 1 } }

    /// Adds the pushes that were logged since the last call; those before the next update belong to this one, if any.
    /// - Parameters:
    ///   - pushes: the pushes, in the order of arrival.
    ///   - due: the moment of the update; nil for pushes before the first one.
    ///   - next: the moment of the next update; later pushes are kept for the next call.
    mutating func add(_ pushes: [LoggedPush], dueAt due: Timestamp?, before next: Timestamp) {
        lastNumber = pushes.last?.number ?? lastNumber
        let all = early + pushes
        early = all.filter { $0.time >= next }
        var arrived: [ActivityID: Duration] = [:]
        for push in all where push.time < next {
            if push.status == nil { unansweredPushes += 1 }
            guard let id = push.activityID else { continue }
            if push.status == 410 { expired[id, default: 0] += 1 }
            guard let known = sequences[id] else { continue }
            if push.status == 410 {
                sequences[id] = nil
                arrived[id] = nil
            } else if let sequence = push.sequence, sequence > known {
                sequences[id] = sequence
                if let due { arrived[id] = push.time - due }
            }
        }
        guard due != nil else { return }
        arrivals += arrived.values
        if arrived.count < sequences.count {
            incompleteUpdates += 1
        } else if let last = arrived.values.max() {
            completions.append(last)
        }
    }
}

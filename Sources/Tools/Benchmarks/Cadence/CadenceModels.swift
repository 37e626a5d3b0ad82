import Encodings
import GameCore

/// A model of a device's push budget: a maximum number of pushes of priority 10 within any hour.
///
/// Apple documents that a budget exists, but not its size. Published figures are "about 15 an hour" without frequent
/// pushes (one vendor, without a method), that one push per second exhausts any budget within a minute, and that iOS 18
/// redraws an activity once in 5 to 15 seconds: 300 an hour, one in 12 seconds, is in the conservative half of that
/// range. All activities of one app on the device share the budget. Priority 5 costs nothing.
///
/// A push beyond the budget is dropped after APNs has answered 200, and counts like any other push.
struct ModelledBudget: Hashable, Sendable {
    /// The budget without frequent pushes.
    static let standardPerHour = 15
    /// The budget with frequent pushes.
    static let frequentPerHour = 300

    private static let hour = Duration.seconds(60 * 60)

    private let perHour: Int
    /// The times of the last hour's pushes, oldest first.
    private var lastHour: [Timestamp] = []
    /// The number of pushes beyond the budget.
    private(set) var throttled = 0
    /// The maximum number of pushes within an hour.
    private(set) var peak = 0

    init(perHour: Int) { self.perHour = perHour }

    /// Receives a push of priority 10.
    /// - Parameter moment: not earlier than that of the push before.
    /// - Returns: whether the device shows the push.
    mutating func receivesPush(at moment: Timestamp) -> Bool {
        lastHour.removeFirst(lastHour.prefix { moment - $0 >= Self.hour }.count)
        let isWithin = lastHour.count < perHour
        lastHour.append(moment)
        peak = max(peak, lastHour.count)
        if !isWithin { throttled += 1 }
        return isWithin
    }
}

/// A random model of players: they answer some turns early and let others pass, and some help their companions.
struct PlayerModel {
    private var generator: Generator

    init(_ generator: Generator) { self.generator = generator }

    /// Returns the delay until the party first sets out.
    mutating func firstSetOut() -> Duration { generator.duration(from: 0, to: 60 * 60 * 1_000) }

    /// Returns the delay until the party sets out again.
    mutating func pause(isBusy: Bool) -> Duration {
        isBusy ? .seconds(5) : generator.duration(from: 20 * 60 * 1_000, to: 60 * 60 * 1_000)
    }

    /// Returns the next adventure: a journey or a boss fight with equal probability.
    mutating func adventure(for heroes: [Hero]) -> Adventure {
        let isJourney = generator.number(below: 2) == 0
        let choices = AdventureContent.all.filter { content in
            switch content {
            case .boss: !isJourney
            case .region: isJourney
            }
        }
        let seed = UInt64(generator.number(below: .max))
        return choices[generator.number(below: choices.count)].opening(heroes: heroes, seed: seed)
    }

    /// Returns the delay until a player takes their turn; nil, in half of the cases, for a player who lets it pass.
    mutating func turnDelay() -> Duration? {
        generator.number(below: 2) == 0 ? generator.duration(from: 1_500, to: 12_000) : nil
    }

    /// Returns the delay until a companion gives a potion to a hero who is down; nil, in half of the cases, for no
    /// help.
    mutating func helpDelay() -> Duration? {
        generator.number(below: 2) == 0 ? generator.duration(from: 4_000, to: 45_000) : nil
    }

    /// Returns a player's command in the hero's turn: helps a companion up in half of the cases, otherwise fights.
    mutating func move(of seat: Seat, in adventure: Adventure) -> Command {
        let hero = adventure.heroes[seat.rawValue]
        if let companion = adventure.heroes.firstIndex(where: \.isDown), generator.number(below: 2) == 0 {
            let target = Seat(rawValue: companion)
            return hero.potions > 0 ? .potion(target: target) : .revive(target: target)
        }
        return hero.cooldown == 0 && generator.number(below: 2) == 0 ? .special : .attack
    }

    /// Returns a standing companion with a potion; nil for none.
    mutating func helper(of seat: Seat, in adventure: Adventure) -> PlayerID? {
        let helpers = adventure.heroes.filter { !$0.isDown && $0.potions > 0 }
        return helpers.isEmpty ? nil : helpers[generator.number(below: helpers.count)].playerID
    }
}

/// A random model of APNs and the network: mostly quick, sometimes slow, with one failure in 200 requests.
struct NetworkModel {
    /// The latency and the result of one request.
    struct Request {
        /// The time until the response.
        let latency: Duration
        /// Whether APNs accepts the push; otherwise the connection broke or APNs was overloaded.
        let succeeds: Bool
    }

    private var generator: Generator

    init(_ generator: Generator) { self.generator = generator }

    /// Returns the next request: 20 to 120 ms, one in a hundred up to 2 s.
    mutating func request() -> Request {
        let isSlow = generator.number(below: 100) == 0
        let latency = isSlow ? generator.duration(from: 120, to: 2_000) : generator.duration(from: 20, to: 120)
        return Request(latency: latency, succeeds: generator.number(below: 200) > 0)
    }

    /// Returns uniform random bits, for backoffs.
    mutating func randomBits() -> UInt64 { UInt64(generator.number(below: .max)) << 1 }

    /// Returns the delay until the dispatcher reads a log entry: up to 100 ms, its default poll interval.
    mutating func readingLag() -> Duration { generator.duration(from: 1, to: 100) }

    /// Returns the time from an activity's start to a change of its push token; nil for nine activities in ten.
    mutating func tokenLifetime() -> Duration? {
        generator.number(below: 10) == 0 ? generator.duration(from: 1_000, to: 20 * 60 * 1_000) : nil
    }

    /// Returns the delay until the dispatcher crashes next: half of the spacing to one and a half.
    mutating func crashDelay(_ spacing: Duration) -> Duration {
        let milliseconds = Int(spacing / .milliseconds(1))
        return generator.duration(from: milliseconds / 2, to: milliseconds * 3 / 2)
    }

    /// Returns the delay until the app registers its new token.
    mutating func registrationDelay() -> Duration { generator.duration(from: 300, to: 10_000) }
}

extension Generator {
    /// Returns a uniformly distributed duration in whole milliseconds.
    fileprivate mutating func duration(from min: Int, to max: Int) -> Duration {
        .milliseconds(min + number(below: max - min + 1))
    }
}

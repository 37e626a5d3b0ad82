/// Which parties of a plan come next, so that as many journeys and as many fights run as there are to be.
struct Newcomers {
    private let plan: WorldPlan
    private var nextJourney: Int
    private var nextFight: Int

    /// Those behind the plan's own.
    init(behind plan: WorldPlan) {
        self.plan = plan
        nextJourney = plan.parties
        nextFight = plan.parties
    }

    /// The numbers of those that are missing, by shard.
    /// - Parameters:
    ///   - journeys: how many run.
    ///   - fights: the same.
    /// - Returns: enough for half of the plan's parties each.
    mutating func missing(journeys: Int, fights: Int) -> [Int: [Int]] {
        var numbers: [Int] = []
        for _ in journeys..<max(journeys, plan.parties / 2) { numbers.append(take(\.nextJourney, isJourney: true)) }
        for _ in fights..<max(fights, plan.parties / 2) { numbers.append(take(\.nextFight, isJourney: false)) }
        return Dictionary(grouping: numbers) { $0 % plan.shards }
    }

    private mutating func take(_ next: WritableKeyPath<Self, Int>, isJourney: Bool) -> Int {
        // Of each kind there is one in any few numbers.
        while plan.isJourney(self[keyPath: next]) != isJourney { self[keyPath: next] += 1 }
        defer { self[keyPath: next] += 1 }
        return self[keyPath: next]
    }
}

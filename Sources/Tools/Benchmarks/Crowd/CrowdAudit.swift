import GameCore
import GameLog
import GameStore

/// The findings about all phones of a crowd.
struct CrowdFindings: Hashable, Sendable {
    /// A kind of phone: how often it may be pushed, and what it shows.
    struct Group: Hashable, Sendable {
        let isFrequent: Bool
        let isJourney: Bool

        static let all = [true, false].flatMap { isFrequent in
            [true, false].map { Self(isFrequent: isFrequent, isJourney: $0) }
        }

        var name: String { "\(isFrequent ? "frequent" : "standard"), \(isJourney ? "journey" : "fight")" }
    }

    var groups: [Group: PhoneFindings] = [:]

    var total: PhoneFindings { groups.values.reduce(into: PhoneFindings()) { $0 += $1 } }

    /// Reads the adventures of a crowd, and audits the pushes to all of its phones.
    /// - Parameters:
    ///   - plan: the crowd.
    ///   - store: the store of its database.
    ///   - arrivals: the pushes, in the order of phones and moments.
    ///   - window: the measured part of the run.
    /// - Throws: errors of the store.
    init(_ plan: FixturePlan, in store: GameStore, _ arrivals: [PushArrival], during window: CrowdWindow) async throws {
        var progress = Progress(of: plan.shards)
        for shard in 0..<plan.shards {
            let numbers = plan.numbers(in: shard)
            let ids = numbers.map(plan.adventureID)
            var events: [AdventureID: [StoredEvent]] = [:]
            let results = try await store.adventures(ids, of: Shard(rawValue: UInt8(shard))) { id, event in
                // What happened before is acknowledged.
                if event.at > plan.start { events[id, default: []].append(event) }
            }
            var adventures: [AdventureID: Adventure] = [:]
            for result in results {
                var stored = try result.get()
                // The clock of the shard may be late, too.
                stored.play(to: window.end, appendingTo: &events[stored.id, default: []])
                adventures[stored.id] = stored.adventure
            }
            for number in numbers {
                let id = plan.adventureID(number)
                guard let adventure = adventures[id] else { throw BenchmarkFailure("Adventure \(id) is not stored") }
                for seat in 0..<FixturePlan.heroes {
                    let group = Group(isFrequent: seat < plan.frequentSeats, isJourney: plan.isJourney(number))
                    var audit = PhoneAudit(
                        of: Seat(rawValue: seat),
                        frequentPushesEnabled: group.isFrequent,
                        in: adventure,
                        during: window
                    )
                    audit.audit(arrivals.pushes(to: PhoneNumber(number, seat: seat)), events[id] ?? [])
                    groups[group, default: PhoneFindings()] += audit.findings
                }
            }
            progress.advance()
        }
    }

    /// Creates the findings of a test.
    init(_ groups: [Group: PhoneFindings]) { self.groups = groups }
}

extension [PushArrival] {
    /// Returns the pushes to a phone, found by binary search.
    fileprivate func pushes(to phone: PhoneNumber) -> ArraySlice<PushArrival> {
        var range = indices
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = self[middle].phone < phone ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return self[range.lowerBound...].prefix { $0.phone == phone }
    }
}

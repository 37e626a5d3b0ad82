/// The longest of some takeovers, of those that tell something about the service.
struct LongestTakeover: Encodable, Hashable, Sendable {
    /// Nil where none counts.
    let seconds: Double?
    /// How many count.
    let counted: Int
    /// How many nodes were struck in all.
    let blows: Int

    /// - Parameters:
    ///   - faults: all that was done, in any order.
    ///   - wait: seconds since a blow, from when until when others were waited for; nil where they did not come, or nothing
    ///     was to be done. What overlaps an outage does not count: nobody could have come then.
    init(in faults: [ChaosRun.Done], _ wait: (Takeover.Times) -> ClosedRange<Double>?) {
        let outages = faults.filter(\.isOutage).map(\.span)
        let waits = faults.compactMap { fault in
            fault.takeover.flatMap(wait).flatMap { wait in
                let span = fault.atSeconds + wait.lowerBound...fault.atSeconds + wait.upperBound
                return outages.contains { $0.overlaps(span) } ? nil : wait.upperBound - wait.lowerBound
            }
        }
        seconds = waits.max()
        counted = waits.count
        blows = faults.count { $0.takeover != nil }
    }

    /// For people.
    var words: String {
        let text = seconds.map { NumberText.text($0, digits: 1) + " s" } ?? "-"
        return "\(text) (\(counted) of \(blows) counted)"
    }
}

public import GameCore

/// The error of a sweep that could not remove all expired data.
///
/// A later sweep removes the rest.
public struct IncompleteSweep: Error, CustomStringConvertible {
    /// The shards with data left, in order; empty if only invite codes are left.
    public let shards: [Shard]
    /// The number of failed steps.
    public let failures: Int
    /// The first error.
    public let first: any Error
    /// Whether the sweep was aborted after too many consecutive failures.
    public let isAborted: Bool

    /// A description in one line, for logs.
    public var description: String {
        let places = shards.isEmpty ? "" : " in shards \(shards.map { "\($0.rawValue)" }.joined(separator: ", "))"
        return "\(failures) failed\(places)\(isAborted ? ", the rest was skipped" : ""); first: \(first)"
    }
}

/// The failures of one sweep.
struct SweepFailures {
    /// The number of consecutive failures after which the database counts as unavailable: those of four shards, so
    /// that one failing shard does not abort the sweep.
    static let maxConsecutive = 32

    private var first: (any Error)?
    private var shards: [Shard] = []
    private var failures = 0
    private var consecutive = 0

    mutating func noteSuccess() { consecutive = 0 }

    /// Records a failure.
    /// - Parameters:
    ///   - error: the error.
    ///   - shard: the shard; nil for invite codes.
    /// - Throws: ``IncompleteSweep`` if the sweep is to be aborted.
    mutating func note(_ error: any Error, in shard: Shard?) throws(IncompleteSweep) {
        failures += 1
        consecutive += 1
        if let shard, shards.last != shard { shards.append(shard) }
        let first = first ?? error
        self.first = first
        if consecutive >= Self.maxConsecutive {
            throw IncompleteSweep(shards: shards, failures: failures, first: first, isAborted: true)
        }
    }

    /// Reports the recorded failures, if any.
    /// - Throws: ``IncompleteSweep`` if there were failures.
    func throwIfAny() throws(IncompleteSweep) {
        guard let first else { return }
        throw IncompleteSweep(shards: shards, failures: failures, first: first, isAborted: false)
    }
}

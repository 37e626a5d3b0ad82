import CLibpq
import Foundation

/// Recorded statements, laid out in memory as libpq takes them, so that running them again is nothing but libpq.
///
/// Unchecked but true: nothing changes it once it is made.
final class StatementTape: @unchecked Sendable {
    /// One run of a prepared statement: what `PQsendQueryPrepared` takes.
    struct Run {
        let name: UnsafeMutablePointer<CChar>
        let count: CInt
        let values: UnsafeMutablePointer<UnsafePointer<CChar>?>
        let lengths: UnsafeMutablePointer<CInt>
        let formats: UnsafeMutablePointer<CInt>
    }

    /// The runs of each round trip, by the connection that is to run them.
    let roundTrips: [[[Run]]]

    private let bytes: UnsafeMutablePointer<CChar>
    private let names: [String: UnsafeMutablePointer<CChar>]

    /// Deals transactions to connections, in turns.
    /// - Parameters:
    ///   - stream: whose transactions concern a shard each.
    ///   - recorded: its bytes.
    ///   - connections: how many are to run it.
    init(_ stream: FrontendStream, _ recorded: [UInt8], connections: Int) {
        let bytes = UnsafeMutablePointer<CChar>.allocate(capacity: max(recorded.count, 1))
        for (index, byte) in recorded.enumerated() { bytes[index] = CChar(bitPattern: byte) }
        var names: [String: UnsafeMutablePointer<CChar>] = [:]
        var dealt = [[[Run]]](repeating: [], count: connections)
        for (number, transaction) in stream.transactions.enumerated() {
            for trip in transaction {
                dealt[number % connections].append(trip.map { Self.run($0, in: bytes, names: &names) })
            }
        }
        roundTrips = dealt
        self.bytes = bytes
        self.names = names
    }

    deinit {
        for run in roundTrips.joined().joined() {
            run.values.deallocate()
            run.lengths.deallocate()
            run.formats.deallocate()
        }
        for name in names.values { free(name) }
        bytes.deallocate()
    }

    private static func run(
        _ run: FrontendStream.Run,
        in bytes: UnsafeMutablePointer<CChar>,
        names: inout [String: UnsafeMutablePointer<CChar>]
    ) -> Run {
        let count = run.parameters.count
        guard let name = names[run.name] ?? strdup(run.name) else { preconditionFailure("out of memory") }
        names[run.name] = name
        let tape = Run(
            name: name,
            count: CInt(count),
            values: .allocate(capacity: max(count, 1)),
            lengths: .allocate(capacity: max(count, 1)),
            formats: .allocate(capacity: max(count, 1))
        )
        for (index, range) in run.parameters.enumerated() {
            tape.values[index] = range.map { UnsafePointer(bytes + $0.lowerBound) }
            tape.lengths[index] = CInt(range?.count ?? 0)
            // Binary.
            tape.formats[index] = 1
        }
        return tape
    }
}

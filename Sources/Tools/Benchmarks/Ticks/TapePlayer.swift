import CLibpq
import Foundation

/// A connection that runs recorded statements through libpq's pipeline, and does nothing else.
///
/// Unchecked but true: it is used by one thread at a time, as libpq wants it.
final class TapePlayer: @unchecked Sendable {
    private let connection: OpaquePointer

    /// Connects, and prepares what will be run.
    init(uri: String, preparing statements: [FrontendStream.Prepared]) throws(MeasurementFailure) {
        guard let connection = PQconnectdb(uri) else { throw MeasurementFailure("libpq is out of memory") }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else { throw failure() }
        for statement in statements {
            let result = PQprepare(
                connection,
                statement.name,
                statement.sql,
                CInt(statement.types.count),
                statement.types
            )
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure() }
        }
    }

    deinit { PQfinish(connection) }

    /// Runs round trips, one after another.
    func play(_ roundTrips: [[StatementTape.Run]]) throws(MeasurementFailure) {
        guard PQenterPipelineMode(connection) == 1 else { throw failure() }
        for trip in roundTrips {
            for run in trip {
                let isSent = PQsendQueryPrepared(
                    connection,
                    run.name,
                    run.count,
                    run.values,
                    run.lengths,
                    run.formats,
                    1
                )
                guard isSent == 1 else { throw failure() }
            }
            guard PQpipelineSync(connection) == 1 else { throw failure() }
            try receive()
        }
        guard PQexitPipelineMode(connection) == 1 else { throw failure() }
    }

    /// Takes the results of a round trip.
    private func receive() throws(MeasurementFailure) {
        while true {
            // The end of a statement's results.
            guard let result = PQgetResult(connection) else { continue }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: continue
            case PGRES_PIPELINE_SYNC: return
            default: throw failure()
            }
        }
    }

    private func failure() -> MeasurementFailure {
        MeasurementFailure("Recorded statements: \(PQerrorMessage(connection).map { String(cString: $0) } ?? "")")
    }
}

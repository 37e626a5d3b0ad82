import CommandLineSupport
import Foundation
import GameStore
import PostgresClient
import RangersSettings

/// Why `rangersd` ended other than asked: sentences for whoever has to mend it.
struct RangersdFailure: CommandFailure {
    let explanation: String
    let exitStatus: ExitStatus

    init(explanation: String, exitStatus: ExitStatus = .failed) {
        self.explanation = explanation
        self.exitStatus = exitStatus
    }

    /// What an error means to operators; nil for one that explains itself, or that nobody foresaw.
    init?(_ error: any Error) {
        switch error {
        case let error as SettingsError:
            let lines = ["these settings are wrong:"] + error.problems.map { "  \($0)" }
            self.init(explanation: lines.joined(separator: "\n"), exitStatus: .badSettings)
        case let error as ProviderKeyFileError:
            self.init(explanation: error.description, exitStatus: .badSettings)
        case let error as CertificateError:
            self.init(explanation: error.description, exitStatus: .badSettings)
        case let error as PostgresError:
            self.init(explanation: Self.explanation(of: error))
        case let error as MigrationError:
            self.init(explanation: "the database's migrations: \(error)")
        default:
            return nil
        }
    }

    /// A port that a server could not have.
    /// - Parameters:
    ///   - host: where it was to listen.
    ///   - port: where it was to listen.
    ///   - errno: why it cannot.
    ///   - names: what sets port and host.
    init(listeningOn host: String, port: Int, errno: Int32, set names: (port: String, host: String)) {
        let reason =
            switch errno {
            case EADDRINUSE:
                "another program listens there; choose another port with \(names.port), or 0 for any free one"
            case EACCES: "this user may not; choose a port from 1024 on with \(names.port)"
            case EADDRNOTAVAIL: "this machine does not have that address; choose another with \(names.host)"
            default: String(cString: strerror(errno))
            }
        // The address may be there, and the port be free, a moment later.
        self.init(explanation: "cannot listen on \(host):\(port): \(reason)")
    }

    /// A ready file that could not be written or removed.
    init(_ file: ReadyFile) {
        let path = file.url.path(percentEncoded: false)
        self.init(explanation: "the ready file \(path) cannot be written; is its folder there, and yours?")
    }

    /// Runs a command's work and explains what goes wrong.
    static func explaining(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch {
            throw Self(error) ?? error
        }
    }

    private static func explanation(of error: PostgresError) -> String {
        switch error {
        case .cannotConnect:
            "\(error) (RANGERS_DATABASE_URL says where it is and who connects)"
        case .server(let server) where server.state == .undefinedTable:
            "the database lacks tables; `rangersd migrate` makes them"
        case .server, .connectionLost, .timedOut, .cancelled, .poolExhausted, .closed, .decoding:
            "PostgreSQL: \(error)"
        }
    }
}

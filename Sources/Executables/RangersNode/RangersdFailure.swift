import CommandLineSupport
import Foundation
import GameStore
import PostgresClient
import RangersSettings
import SignInWithApple

/// An error of `rangersd` with an explanation for operators.
struct RangersdFailure: CommandFailure {
    let explanation: String
    let exitStatus: ExitStatus

    init(explanation: String, exitStatus: ExitStatus = .failed) {
        self.explanation = explanation
        self.exitStatus = exitStatus
    }

    /// Creates the explanation of an error of settings, keys, certificates or the database; nil for other errors.
    init?(_ error: any Error) {
        switch error {
        case let error as SettingsError:
            let lines = ["invalid settings:"] + error.problems.map { "  \($0)" }
            self.init(explanation: lines.joined(separator: "\n"), exitStatus: .badSettings)
        case let error as ProviderKeyFileError:
            self.init(explanation: error.description, exitStatus: .badSettings)
        case let error as CertificateError:
            self.init(explanation: error.description, exitStatus: .badSettings)
        case let error as AppleKeysError:
            self.init(explanation: "RANGERS_APPLE_KEYS: \(error)", exitStatus: .badSettings)
        case let error as PostgresError:
            self.init(explanation: Self.explanation(of: error))
        case let error as MigrationError:
            self.init(explanation: "migrations: \(error)")
        default:
            return nil
        }
    }

    /// Explains an error of binding a port.
    /// - Parameters:
    ///   - host: the address.
    ///   - port: the port.
    ///   - errno: the error number.
    ///   - names: the settings or options of port and host.
    init(listeningOn host: String, port: Int, errno: Int32, names: (port: String, host: String)) {
        let reason =
            switch errno {
            case EADDRINUSE:
                "the port is in use; choose another one with \(names.port), or 0 for any free one"
            case EACCES: "permission denied; choose a port of at least 1024 with \(names.port)"
            case EADDRNOTAVAIL: "this machine does not have this address; choose another one with \(names.host)"
            default: String(cString: strerror(errno))
            }
        // The status is not `badSettings`: address and port may become available.
        self.init(explanation: "cannot listen on \(host):\(port): \(reason)")
    }

    /// Explains an error of writing or removing the ready file.
    init(_ file: ReadyFile) {
        let path = file.url.path(percentEncoded: false)
        self.init(explanation: "cannot write the ready file \(path); does its folder exist, and is it writable?")
    }

    /// Runs a command and explains its errors.
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
            "\(error) (see RANGERS_DATABASE_URL)"
        case .server(let server) where server.state == .undefinedTable:
            "tables are missing in the database; `rangersd migrate` creates them"
        case .server, .connectionLost, .outcomeUnknown, .timedOut, .cancelled, .poolExhausted, .closed, .decoding:
            "PostgreSQL: \(error)"
        }
    }
}

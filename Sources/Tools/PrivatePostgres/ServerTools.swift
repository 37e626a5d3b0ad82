import Foundation

/// The programs that come with a PostgreSQL server, run as a user that PostgreSQL accepts.
struct ServerTools: Sendable {
    /// The user that PostgreSQL runs as when this process is root's.
    private static let unprivilegedUser = "postgres"

    private let binaries: String
    private let isRoot = geteuid() == 0

    /// Finds the newest version installed where Debian puts it, else the one that `pg_config` tells.
    /// - Throws: ``TestServerError`` when there is none.
    init() throws {
        let root = "/usr/lib/postgresql"
        // Other systems have no such folder, and PostgreSQL elsewhere.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let candidates =
            versions.compactMap(Int.init).sorted(by: >).map { "\(root)/\($0)/bin" }
            + ["/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql/bin", "/usr/bin", "/usr/local/bin"]
        let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
        guard let found else {
            throw TestServerError("PostgreSQL's server is not installed; on Debian: apt-get install postgresql")
        }
        binaries = found
    }

    /// Where a program of the server is.
    func path(of name: String) -> String { "\(binaries)/\(name)" }

    /// The words that run a program of the server, as the right user.
    func command(_ name: String, _ arguments: [String]) -> [String] {
        let command = [path(of: name)] + arguments
        guard isRoot else { return command }
        let user = Self.unprivilegedUser
        return ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--init-groups", "--"] + command
    }

    /// Runs a program of the server to its end.
    /// - Throws: ``TestServerError`` with its output when it fails.
    func run(_ name: String, _ arguments: [String], in directory: String) async throws {
        let output = directory + "/\(name).out"
        let status = try await ChildProcess(command(name, arguments), output: output).end()
        guard status == 0 else {
            let text = try String(contentsOfFile: output, encoding: .utf8)
            throw TestServerError("\(name) failed with status \(status): \(text)")
        }
    }

    /// Makes a folder that only the server's user can enter.
    func makeDirectory() throws -> String {
        var template = Array("/tmp/rangers-pg-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else {
            throw TestServerError("no folder below /tmp: \(String(cString: strerror(errno)))")
        }
        let directory = String(cString: path)
        try give(directory)
        return directory
    }

    /// Gives a file or folder to the server's user.
    func give(_ path: String) throws {
        guard isRoot else { return }
        guard let user = getpwnam(Self.unprivilegedUser) else {
            throw TestServerError("there is no user \(Self.unprivilegedUser) to run PostgreSQL as")
        }
        guard chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
            throw TestServerError("cannot give \(path) away: \(String(cString: strerror(errno)))")
        }
    }
}

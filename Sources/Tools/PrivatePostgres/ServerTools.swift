import Foundation

/// The programs of a PostgreSQL installation, run as a user that PostgreSQL accepts.
struct ServerTools: Sendable {
    /// The user for PostgreSQL when this process runs as root.
    private static let unprivilegedUser = "postgres"

    private let binaries: String
    private let isRoot = geteuid() == 0

    /// Finds the newest version in Debian's folders, or a version in the usual folders of other systems.
    /// - Throws: ``PrivatePostgresError`` when none is installed.
    init() throws {
        let root = "/usr/lib/postgresql"
        // Fails on other systems, which do not have this folder.
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let candidates =
            versions.compactMap(Int.init).sorted(by: >).map { "\(root)/\($0)/bin" }
            + ["/usr/local/pgsql/bin", "/opt/homebrew/opt/postgresql/bin", "/usr/bin", "/usr/local/bin"]
        let found = candidates.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
        guard let found else {
            throw PrivatePostgresError("PostgreSQL's server is not installed; on Debian: apt-get install postgresql")
        }
        binaries = found
    }

    /// Returns the path of a program.
    func path(of name: String) -> String { "\(binaries)/\(name)" }

    /// Returns the command line that runs a program as a user that PostgreSQL accepts.
    func command(_ name: String, _ arguments: [String]) -> [String] {
        let command = [path(of: name)] + arguments
        guard isRoot else { return command }
        let user = Self.unprivilegedUser
        return ["/usr/bin/setpriv", "--reuid=\(user)", "--regid=\(user)", "--init-groups", "--"] + command
    }

    /// Runs a program to its end.
    /// - Throws: ``PrivatePostgresError`` with the program's output when it fails.
    func run(_ name: String, _ arguments: [String], in directory: String) async throws {
        let output = directory + "/\(name).out"
        let status = try await ChildProcess(command(name, arguments), output: output).end()
        guard status == 0 else {
            let text = try String(contentsOfFile: output, encoding: .utf8)
            throw PrivatePostgresError("\(name) failed with status \(status): \(text)")
        }
    }

    /// Creates a folder that only the server's user can enter.
    func makeDirectory() throws -> String {
        var template = Array("/tmp/rangers-pg-XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else {
            throw PrivatePostgresError("cannot create a folder below /tmp: \(String(cString: strerror(errno)))")
        }
        let directory = String(cString: path)
        try changeOwner(of: directory)
        return directory
    }

    /// Changes the owner of a file or folder to the server's user.
    func changeOwner(of path: String) throws {
        guard isRoot else { return }
        guard let user = getpwnam(Self.unprivilegedUser) else {
            throw PrivatePostgresError("there is no user \(Self.unprivilegedUser) to run PostgreSQL as")
        }
        guard chown(path, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
            throw PrivatePostgresError("cannot change the owner of \(path): \(String(cString: strerror(errno)))")
        }
    }
}

import Foundation

/// A shell that kills the tests' programs when the test process ends, even by SIGKILL.
///
/// It reads a pipe whose write end only this process holds; end of file is the signal.
final class OrphanReaper: Sendable {
    static let shared = OrphanReaper()

    private static let script = """
        trap '' HUP INT TERM
        living=' '
        while read -r change id; do
            case "$change$living" in
            watch*) living="$living$id " ;;
            forget*" $id "*) living="${living%% $id *} ${living#* $id }" ;;
            esac
        done
        for id in $living; do kill -KILL "$id"; done 2> /dev/null
        """

    private let pipe = Pipe()

    private init() {
        // No child may inherit the write end.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", Self.script]
        shell.standardInput = pipe
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        do {
            try shell.run()
        } catch {
            preconditionFailure("cannot start /bin/sh: \(error)")
        }
    }

    func watch(_ id: pid_t) { write("watch \(id)\n") }

    func forget(_ id: pid_t) { write("forget \(id)\n") }

    private func write(_ line: String) {
        do {
            try pipe.fileHandleForWriting.write(contentsOf: Data(line.utf8))
        } catch {
            preconditionFailure("the shell that kills the tests' programs has exited: \(error)")
        }
    }
}

public import ArgumentParser

extension AsyncParsableCommand {
    /// Runs the command that the arguments specify, and exits with an ``ExitStatus``.
    ///
    /// It replaces ArgumentParser's `main()`, which exits with 64 (`EX_USAGE`) for wrong usage and prints errors as
    /// Swift describes them. Help and version are printed to standard output, errors to standard error.
    ///
    /// - Parameter arguments: the arguments to parse, without the command's own name; nil for those of the process. An
    ///   error thrown by this expression is handled like a parse error.
    public static func runAndExit(_ arguments: @autoclosure () throws -> [String]? = nil) async -> Never {
        do {
            var command = try parseAsRoot(try arguments())
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            CommandExit(of: error, from: Self.self).exitProcess()
        }
        CommandExit.success.exitProcess()
    }
}

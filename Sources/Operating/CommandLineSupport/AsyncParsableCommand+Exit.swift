public import ArgumentParser

extension AsyncParsableCommand {
    /// Runs the command that the process's arguments name, and ends the process with our exit statuses.
    ///
    /// In place of the parser's own `main()`, which exits with 64 (`EX_USAGE`) for wrong usage and prints errors as
    /// Swift describes them. Help and versions go to standard output, everything that went wrong to standard error.
    ///
    /// - Parameter arguments: what to parse in place of the process's arguments, without the command's own name; what making
    ///   them throws ends the process like what parsing them does.
    public static func runAndExit(_ arguments: @autoclosure () throws -> [String]? = nil) async -> Never {
        do {
            var command = try parseAsRoot(try arguments())
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            CommandEnding(of: error, from: Self.self).endProcess()
        }
        CommandEnding.done.endProcess()
    }
}

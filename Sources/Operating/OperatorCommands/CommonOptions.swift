import ArgumentParser
import CommandLineSupport

/// The options of all commands, which may also precede a command or subcommand, as in `rangersctl --server URL stats`
/// and `rangersctl boss --server URL list`.
enum CommonOptions {
    /// The options with a value.
    private static let options: Set = ["--server", "--token-file", "--context", "--timeout"]
    private static let flags: Set = ["--json"]
    /// ArgumentParser's own command.
    private static let helpCommand = "help"

    /// Moves the common options that precede a command behind it, where ArgumentParser expects them.
    ///
    /// The first argument that is neither a common option nor a command, and all arguments after it, stay in place:
    /// ArgumentParser reports their errors. It also reports a common option without a value; the name of a command is
    /// never taken for a value.
    /// - Parameter arguments: the arguments of the process.
    /// - Returns: the reordered arguments.
    /// - Throws: `ValidationError` for common options without a command, and for an unknown command, also behind `help`.
    static func movedBehindCommand(_ arguments: [String]) throws -> [String] {
        var rest = arguments[...]
        var path: [String] = []
        var common: [String] = []
        var commands = RangersctlCommand.configuration.subcommands
        var optionWithoutValue: String?
        while let first = rest.first, !commands.isEmpty {
            if flags.contains(first) || options.contains(where: { first.hasPrefix("\($0)=") }) {
                common.append(rest.removeFirst())
            } else if options.contains(first) {
                common.append(rest.removeFirst())
                // A negative number is a value, which the parser rejects with the valid range.
                guard let value = rest.first, !value.hasPrefix("-") || Int(value) != nil,
                    command(value, in: commands) == nil
                else {
                    optionWithoutValue = optionWithoutValue ?? first
                    continue
                }
                common.append(rest.removeFirst())
            } else if let command = command(first, in: commands) {
                path.append(rest.removeFirst())
                commands = command.configuration.subcommands
            } else {
                break
            }
        }
        // Without any arguments, ArgumentParser shows its help.
        guard !rest.isEmpty || commands.isEmpty || common.isEmpty else {
            throw missingCommand(after: path, oneOf: commands, optionWithoutValue: optionWithoutValue)
        }
        if let word = rest.first, !commands.isEmpty, !word.hasPrefix("-") {
            guard word == helpCommand else { throw unknownCommand(word, after: path, oneOf: commands) }
            try checkCommands(rest.dropFirst(), after: path, oneOf: commands)
        }
        // Without a complete command nothing accepts the options, and ArgumentParser reports the rest.
        guard commands.isEmpty else { return path + rest }
        // All arguments after `--` are values.
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return path + rest[..<end] + common + rest[end...]
    }

    /// Checks the commands behind `help`, since ArgumentParser shows the help of the last known one.
    private static func checkCommands(
        _ words: ArraySlice<String>,
        after path: [String],
        oneOf commands: [any ParsableCommand.Type]
    ) throws(ValidationError) {
        var (path, commands) = (path, commands)
        for word in words where !word.hasPrefix("-") && word != helpCommand {
            guard let known = command(word, in: commands) else {
                throw unknownCommand(word, after: path, oneOf: commands)
            }
            path.append(word)
            commands = known.configuration.subcommands
        }
    }

    private static func missingCommand(
        after path: [String],
        oneOf commands: [any ParsableCommand.Type],
        optionWithoutValue: String?
    ) -> ValidationError {
        let missingValue = optionWithoutValue.map { "\($0) requires a value. " } ?? ""
        return ValidationError("\(missingValue)Specify a command: \(list(commands, after: path)).")
    }

    private static func unknownCommand(
        _ word: String,
        after path: [String],
        oneOf commands: [any ParsableCommand.Type]
    ) -> ValidationError {
        let printable = Printable.text((path + [word]).joined(separator: " "))
        guard !commands.isEmpty else {
            return ValidationError(
                "Unknown command '\(printable)': '\(path.joined(separator: " "))' has no subcommands."
            )
        }
        if let nearest = CommandSuggestion.nearest(to: word, among: commands.map(name)) {
            let suggestion = (path + [nearest]).joined(separator: " ")
            return ValidationError("Unknown command '\(printable)'. Did you mean '\(suggestion)'?")
        }
        return ValidationError("Unknown command '\(printable)'. The commands are \(list(commands, after: path)).")
    }

    private static func list(_ commands: [any ParsableCommand.Type], after path: [String]) -> String {
        let names = commands.map { "'\((path + [name(of: $0)]).joined(separator: " "))'" }
        // Every command with subcommands has at least two.
        return "\(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1])"
    }

    private static func command(
        _ word: String,
        in commands: [any ParsableCommand.Type]
    ) -> (any ParsableCommand.Type)? {
        commands.first { name(of: $0) == word }
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}

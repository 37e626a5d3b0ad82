import Foundation

/// The properties of standard output and standard error as terminals.
public enum Terminal {
    /// The width of standard output in columns; nil if it is not a terminal.
    public static var columns: Int? { columns(of: STDOUT_FILENO) }

    /// The width of standard error in columns; nil if it is not a terminal.
    public static var columnsOfErrors: Int? { columns(of: STDERR_FILENO) }

    private static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The paint for standard output.
    public static var paint: Paint {
        Paint(isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment)
    }

    /// Whether questions are possible: standard input and standard error are terminals.
    public static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}

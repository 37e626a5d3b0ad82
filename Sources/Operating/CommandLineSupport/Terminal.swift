import Foundation

/// Standard output and standard error, as far as they are terminals.
public enum Terminal {
    /// Its width, nil when standard output goes elsewhere: what a program reads is never cut off.
    public static var columns: Int? { columns(of: STDOUT_FILENO) }

    /// The width of standard error, nil when that goes elsewhere.
    public static var columnsOfErrors: Int? { columns(of: STDERR_FILENO) }

    private static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Colours for standard output, if it is to have any.
    public static var paint: Paint {
        Paint(isTerminal: isatty(STDOUT_FILENO) == 1, environment: ProcessInfo.processInfo.environment)
    }

    /// Whether somebody is there to be asked: standard input and standard error are terminals.
    public static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }
}

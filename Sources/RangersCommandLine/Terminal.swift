import Foundation

/// Standard output, as far as it is a terminal.
public enum Terminal {
    /// Its width, nil when standard output goes elsewhere: what a program reads is never cut off.
    public static var columns: Int? {
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

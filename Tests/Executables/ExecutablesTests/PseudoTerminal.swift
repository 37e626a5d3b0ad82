import Foundation

/// A pseudoterminal for tests of programs that prompt for input.
final class PseudoTerminal {
    /// TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)).
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// The side of the terminal emulator.
    private let screen: FileHandle
    /// The side of the program; kept open, because reading fails while no process has it open.
    private let device: FileHandle
    private let shown: AsyncStream<Data>
    private var text = ""

    init() throws {
        // The equivalent of posix_openpt, unlockpt and ptsname, which Glibc does not export to Swift.
        let descriptor = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        var (lock, number): (Int32, UInt32) = (0, 0)
        guard
            descriptor >= 0, ioctl(descriptor, Self.setLock, &lock) == 0,
            ioctl(descriptor, Self.getNumber, &number) == 0
        else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        screen = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let end = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
        guard end >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        device = FileHandle(fileDescriptor: end, closeOnDealloc: true)
        let (shown, show) = AsyncStream<Data>.makeStream()
        self.shown = shown
        screen.readabilityHandler = { show.yield($0.availableData) }
    }

    deinit { screen.readabilityHandler = nil }

    /// Starts an executable of this package with standard input and standard error in this terminal.
    func start(_ name: String, _ arguments: [String], environment: [String: String]) throws -> RunningExecutable {
        try RunningExecutable(at: Executable.url(of: name), arguments, environment: environment, terminal: device)
    }

    /// Waits for a text on the screen.
    func shows(_ expected: String) async -> Bool {
        var shown = shown.makeAsyncIterator()
        while !text.contains(expected) {
            guard let data = await shown.next() else { return false }
            text += String(decoding: data, as: UTF8.self)
        }
        return true
    }

    /// Types a text.
    func type(_ text: String) throws { try screen.write(contentsOf: Data(text.utf8)) }
}

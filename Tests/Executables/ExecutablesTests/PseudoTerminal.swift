import Foundation

/// A terminal without a screen, in which a program runs: it asks there, and is answered.
final class PseudoTerminal {
    /// TIOCSPTLCK and TIOCGPTN (ioctl_tty(2)).
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// What a terminal emulator would hold.
    private let screen: FileHandle
    /// What the program holds; held here too, since reading what nobody writes to is an error.
    private let device: FileHandle
    private let shown: AsyncStream<Data>
    private var text = ""

    init() throws {
        // What posix_openpt, unlockpt and ptsname do, which Swift does not see on Linux.
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

    /// Starts a program of this package that reads and writes errors here.
    func start(_ name: String, _ arguments: [String], environment: [String: String]) throws -> RunningExecutable {
        try RunningExecutable(at: Executable.url(of: name), arguments, environment: environment, terminal: device)
    }

    /// Waits until a text is shown.
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

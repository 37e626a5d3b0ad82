/// Names one wish of a player: a write that arrives twice under one key happens once.
///
/// The client makes a key for each write and keeps it while it tries again. An app that wants a wish to outlive it, say
/// across a restart, makes the key itself, stores it with what is wished, and gives it along each time. The server knows a
/// key for 24 hours, with the party that the write was for.
public struct IdempotencyKey: RawRepresentable, Codable, Hashable, Sendable {
    /// 1 to 255 visible ASCII characters.
    public let rawValue: String

    /// A key as it was stored.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A new key.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init { generator.next() }
    }

    /// A new key of 128 bits.
    init(randomBits: () -> UInt64) {
        let words = [randomBits(), randomBits()].map { String($0, radix: 16) }
        rawValue = words.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
    }
}

/// An idempotency key: the server carries out a write at most once for each key.
///
/// By default the client makes a new key for each write, and reuses it when it retries. An app that retries a write
/// after a restart makes the key itself, stores it with the write, and passes it with each attempt. Use a new key for
/// each write: the server remembers a key for 24 hours, and may reject it for another write.
public struct IdempotencyKey: RawRepresentable, Codable, Hashable, Sendable {
    /// The key: 1 to 255 visible ASCII characters.
    public let rawValue: String

    /// Creates a key from a stored one.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a new random key.
    public init() {
        var generator = SystemRandomNumberGenerator()
        self.init { generator.next() }
    }

    /// Creates a new key from 128 random bits.
    init(randomBits: () -> UInt64) {
        let words = [randomBits(), randomBits()].map { String($0, radix: 16) }
        rawValue = words.map { String(repeating: "0", count: 16 - $0.count) + $0 }.joined()
    }
}

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID {
    /// Generates a version 7 UUID (RFC 9562, section 5.7): 48 bits of milliseconds, then random bits.
    /// - Parameters:
    ///   - moment: the time of the UUID, to the millisecond.
    ///   - lastByte: the last byte; nil for a random one.
    ///   - generator: the source of the random bits.
    public init(
        version7At moment: Timestamp,
        lastByte: UInt8? = nil,
        using generator: inout some RandomNumberGenerator
    ) {
        let time = UInt64(bitPattern: moment.epochMilliseconds)
        let high = generator.next()
        let low = generator.next()
        func byte(_ word: UInt64, _ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: word >> (8 * index)) }
        self.init(
            uuid: (
                byte(time, 5), byte(time, 4), byte(time, 3), byte(time, 2), byte(time, 1), byte(time, 0),
                0x70 | (byte(high, 0) & 0x0f), byte(high, 1),
                0x80 | (byte(high, 2) & 0x3f), byte(high, 3),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4),
                lastByte ?? byte(low, 5)
            )
        )
    }
}

import Foundation
import GameCore

extension Surroundings {
    /// The machine's clock and the system's randomness.
    static let system = Self(
        // A double holds microseconds since 1970 exactly until the year 2255.
        now: { Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) },
        randomBits: {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        }
    )
}

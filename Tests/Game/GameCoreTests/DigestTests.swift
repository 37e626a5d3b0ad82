import Foundation
import Testing

@testable import GameCore

/// The same seeds give the same logs and states in every process, on every machine and with every toolchain.
struct DigestTests {
    /// Changes with every change of the rules, the content, the generator or a form: written anew on purpose only.
    private static let digest: UInt64 = 0xe56e_1517_7e81_26a1

    @Test func `many logs and states are what they were, byte for byte`() throws {
        var digest = FNV1a()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for kind in AdventureKind.allCases {
            for size in 1...8 {
                for seed in GameWorld.seeds {
                    var play = RandomPlay(GameWorld.opening(kind, heroes: size, seed: seed), seed: seed)
                    play.playOut()
                    for input in play.inputs { digest.take(try encoder.encode(input)) }
                    for event in play.events { digest.take(try encoder.encode(event)) }
                    digest.take(play.adventure.encoded.utf8)
                }
            }
        }
        #expect(digest.value == Self.digest, "0x\(String(digest.value, radix: 16))")
        // Whoever writes the digest anew writes this anew, too: other events from the same seed are other rules.
        #expect(Adventure.currentRules == 2)
    }
}

/// The hash of Fowler, Noll and Vo in its form 1a with 64 bits (draft-eastlake-fnv).
private struct FNV1a {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}

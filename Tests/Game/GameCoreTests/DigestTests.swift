import Foundation
import Testing

@testable import GameCore

/// The same seeds give the same logs and states in every process, on every machine and with every toolchain.
struct DigestTests {
    /// The recorded digest, which every change of the rules, the content, the generator or an encoding changes.
    ///
    /// Record it again only if the change is deliberate.
    private static let digest: UInt64 = 0x96a4_762c_36d4_b6a1

    @Test func `logs and states of many seeds are unchanged, byte for byte`() throws {
        var digest = FNV1a()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for kind in AdventureKind.allCases {
            for size in 1...8 {
                for seed in GameWorld.seeds {
                    var play = RandomPlay(GameWorld.opening(kind, heroes: size, seed: seed), seed: seed)
                    play.playOut()
                    for input in play.inputs { digest.combine(try encoder.encode(input)) }
                    for event in play.events { digest.combine(try encoder.encode(event)) }
                    digest.combine(play.adventure.encoded.utf8)
                }
            }
        }
        #expect(digest.value == Self.digest, "0x\(String(digest.value, radix: 16))")
        // A new digest requires a new version of the rules: other events from the same seed are other rules.
        #expect(Adventure.currentRules == 2)
    }
}

/// The 64-bit FNV-1a hash (draft-eastlake-fnv).
private struct FNV1a {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}

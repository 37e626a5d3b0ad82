import TestSupport
import Testing

@testable import GameCore

/// The same seeds give the same logs and states in every process, on every machine and with every toolchain.
@Suite(.computing) struct DigestTests {
    /// Returns the recorded digest of a version of the rules.
    ///
    /// A change of the rules, the content, the generator or an encoding changes it. The digest of a released version
    /// must not change, because adventures are played to their end and replayed under the version with which they
    /// began.
    private static func digest(of rules: RulesVersion) -> UInt64 {
        switch rules {
        case .v2: 0x558e_99d3_1e68_cffa
        case .v3: 0x1634_0e62_70f3_8c99
        case .v4: 0xd720_2244_c5f4_57df
        }
    }

    /// The heroes, bosses and regions of each version: one that is added or removed needs a version of its own, so that
    /// older nodes leave adventures with it alone.
    @Test func `content of the newest version is as recorded`() {
        #expect(RulesVersion.current == .v3 && RulesVersion.newest == .v4)
        let heroes = [
            "spouty", "bamboo", "ember", "boulder", "hoot", "inky", "prickle", "leap", "glimmer", "zippy",
        ]
        #expect(HeroCatalogue.all.filter { $0.since == .v2 }.map(\.id.rawValue) == heroes)
        #expect(HeroCatalogue.all.allSatisfy { $0.since <= .current })
        let bosses = ["glitch", "old-tangle", "stonejaw", "madam-gloom", "storm-roc", "cinderwing"]
        #expect(BossCatalogue.all.map(\.id.rawValue) == bosses)
        #expect(RegionCatalogue.all.map(\.id.rawValue) == ["meadow", "coast", "forest", "peaks", "wastes"])
    }

    @Test(arguments: RulesVersion.allCases) func `a thousand seeds give the recorded logs and states, byte for byte`(
        rules: RulesVersion
    ) throws {
        var digest = FNV1a()
        for seed in UInt64(1)...1_000 {
            let kind: AdventureKind = rules >= .raids ? .raid : seed % 3 == 0 ? .journey : .bossFight
            let opening = GameWorld.opening(kind, heroes: 1 + Int(seed % 8), seed: seed, rules: rules)
            var play = RandomPlay(opening, seed: seed)
            play.playOut()
            for event in play.events { digest.combine(event.asRecorded.json) }
            digest.combine(play.adventure.encoded.utf8)
        }
        let text = "0x\(String(digest.value, radix: 16))"
        #expect(digest.value == Self.digest(of: rules), "the digest of \(rules) is \(text)")
    }
}

extension AdventureEvent {
    /// The event as it was when the digests were recorded: without the danger, which follows from the amounts and is
    /// checked by ``EventProjection``.
    fileprivate var asRecorded: Self {
        if case .heroHurt(let hero, let amount, let cause, _) = self {
            .heroHurt(hero: hero, amount: amount, cause: cause)
        } else {
            self
        }
    }
}

/// The 64-bit FNV-1a hash (draft-eastlake-fnv).
private struct FNV1a {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }
}

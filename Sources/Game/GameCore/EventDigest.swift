package import Encodings

/// A running digest of an adventure's events.
///
/// Two nodes that derive the same events from an opening and its inputs have the same digest. It is a checksum against
/// mistakes, not a protection against forgery.
public struct EventDigest: Hashable, Sendable {
    /// The digest of the events so far.
    public private(set) var value: UInt64

    /// Creates the digest of no events, or continues a stored one.
    public init(value: UInt64 = 0xcbf2_9ce4_8422_2325) { self.value = value }

    /// Adds an event.
    public mutating func add(_ event: AdventureEvent) {
        switch event {
        case .adventureStarted(let kind): add(1, kind)
        case .storyTold(let beat): add(2, beat)
        case .travelled(let location): add(3, location)
        case .lootFound(let hero, let item, let rarity): add(4, hero, item, rarity)
        case .hazardStruck(let hazard): add(5, hazard)
        case .restTaken(let rest): add(6, rest)
        case .encounterMet(let foe): add(7, foe)
        case .foeStruck(let foe, let damage): add(8, foe, damage)
        case .encounterWon(let foe): add(9, foe)
        // The danger follows from the amounts.
        case .heroHurt(let hero, let amount, let cause, _): add(10, hero, amount, cause)
        case .heroHealed(let hero, let amount, let source): add(11, hero, amount, source)
        case .heroDown(let hero): add(12, hero)
        case .heroRevived(let hero, let helper): add(13, hero, helper)
        case .heroLevelledUp(let hero, let level): add(14, hero, level)
        case .bossAppeared(let boss): add(15, boss)
        case .turnStarted(let turn, let hero): add(16, turn, hero)
        case .actionTaken(let hero, let action, let damage): add(17, hero, action, damage)
        case .bossActed(let move, let target): add(18, move, target)
        case .bossHealed(let boss, let amount): add(19, boss, amount)
        case .bossHindered(let boss, let hindrance): add(20, boss, hindrance)
        case .bossEnraged(let boss, let phase): add(21, boss, phase)
        case .bossDefeated(let boss): add(22, boss)
        case .partyWiped: add(23)
        case .memberJoined(let hero): add(24, hero)
        case .memberLeft(let hero): add(25, hero)
        case .policyChosen(let hero, let policy): add(26, hero, policy)
        case .adventureEnded(let outcome): add(27, outcome)
        case .raidProgressed(let health, let maximum): add(28, health, maximum)
        }
    }

    /// Adds a moment, which the stored digests do not have.
    package mutating func add(_ moment: Timestamp) { mix(UInt64(bitPattern: moment.microseconds)) }

    private mutating func add<each Field: DigestField>(_ kind: UInt64, _ field: repeat each Field) {
        mix(kind)
        repeat (each field).add(to: &self)
    }

    /// Mixes in a word: one round of FNV-1a with a shift, so that high bits reach low ones.
    fileprivate mutating func mix(_ word: UInt64) {
        value = (value ^ word) &* 0x100_0000_01b3
        value ^= value >> 29
    }
}

/// A field of an event.
private protocol DigestField {
    func add(to digest: inout EventDigest)
}

extension Int: DigestField {
    fileprivate func add(to digest: inout EventDigest) { digest.mix(UInt64(bitPattern: Int64(self))) }
}

extension Seat: DigestField {
    fileprivate func add(to digest: inout EventDigest) { rawValue.add(to: &digest) }
}

extension Seat?: DigestField {
    fileprivate func add(to digest: inout EventDigest) { (self?.rawValue ?? -1).add(to: &digest) }
}

extension DigestField where Self: RawRepresentable<String> {
    fileprivate func add(to digest: inout EventDigest) {
        var word: UInt64 = 0
        var text = rawValue
        text.withUTF8 { bytes in
            for (index, byte) in bytes.enumerated() {
                word = word << 8 | UInt64(byte)
                if index % 8 == 7 { digest.mix(word) }
            }
        }
        digest.mix(word)
    }
}

extension BeatID: DigestField {}
extension BossID: DigestField {}
extension FoeID: DigestField {}
extension HazardID: DigestField {}
extension ItemID: DigestField {}
extension LocationID: DigestField {}
extension RestID: DigestField {}
extension AdventureKind: DigestField {}
extension AdventureOutcome: DigestField {}
extension BossMove: DigestField {}
extension DamageCause: DigestField {}
extension HealingSource: DigestField {}
extension HeroAction: DigestField {}
extension Hindrance: DigestField {}
extension Rarity: DigestField {}
extension TurnPolicy: DigestField {}

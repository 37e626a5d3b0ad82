import Encodings
import GameCore
import PushCadence

/// What is simulated.
///
/// Parties of 1 to 8 share the phones. A third of the parties has frequent pushes on every phone, a third on none, and
/// in the others every phone tosses a coin. Each party begins within the first hour, and sets out again 20 to 60 min
/// after it came home, about once an hour, on a journey as often as against a boss.
struct CadenceScenario: Hashable, Sendable {
    /// How many phones there are; each shows one Live Activity at a time, a new one for every adventure.
    var activities = 1_000
    /// For how long parties set out; an adventure that is under way then is played to its end.
    var hours = 10
    /// Decides everything that is left to chance.
    var seed: UInt64 = 1
    /// Whether parties set out again at once, all day long.
    var isBusy = false
    /// The numbers that are put to the test.
    var policy = CadencePolicy()

    /// When the simulation begins; any moment does.
    static let beginning = Timestamp(epochSeconds: 1_800_000_000)

    var lastSetOut: Timestamp { Self.beginning + .seconds(hours * 60 * 60) }
}

/// What is simulated of one party, which shares nothing with the others.
struct CadenceParty: Hashable, Sendable {
    /// Whether each phone has frequent pushes, by seat.
    let frequentPushes: [Bool]
    /// Of this party alone.
    let seed: UInt64
}

extension CadenceScenario {
    /// The parties, as many as the phones make.
    var parties: [CadenceParty] {
        var draw = Generator(seed: seed)
        var parties: [CadenceParty] = []
        var left = activities
        while left > 0 {
            let size = min(1 + draw.number(below: Party.largestCapacity), left)
            let kind = parties.count % 3
            let flags = (0..<size).map { _ in kind == 2 ? draw.number(below: 2) == 0 : kind == 0 }
            parties.append(CadenceParty(frequentPushes: flags, seed: UInt64(draw.number(below: .max))))
            left -= size
        }
        return parties
    }
}

import Encodings
import Foundation
import GameCore
import GameStore
import Simulation

extension Verdict {
    /// Parties that are read at once.
    private static let page = 1_000

    /// Holds what a run has left behind against what must be true.
    ///
    /// To be asked once the game has settled: no adventure runs, and no push comes any more.
    /// - Parameters:
    ///   - store: of the run's database, read as the service reads it, one shard after another.
    ///   - simulator: what the phones were sent, since the run began.
    ///   - acknowledged: what clients were told.
    ///   - answersKeptSince: where what is old was removed: since when the answers to commands are there; gaps in the
    ///     logs and adventures without details are no surprise then.
    /// - Returns: what holds and what does not.
    /// - Throws: what keeps it from reading; a verdict is reached however much is wrong.
    static func reached(
        store: GameStore,
        simulator: PushWitness,
        acknowledged: Acknowledged,
        answersKeptSince: Timestamp? = nil
    ) async throws -> Verdict {
        try await simulator.catchUp()
        let `case` = VerdictCase(simulator.all, acknowledged, answersKeptSince: answersKeptSince)
        return try await reached(store: store, case: `case`, complaints: simulator.complaints())
    }

    /// The same, with all that was gathered.
    static func reached(
        store: GameStore,
        case: VerdictCase,
        complaints: [PushComplaint]
    ) async throws -> Verdict {
        var examinations = (1...8).map { Examination(of: $0) }
        var known: Set<ActivityID> = []
        for (shard, head) in try await store.heads(of: Shard.all) {
            let reading = try await ShardReading(shard, head: head, from: store, for: `case`)
            for (index, examination) in reading.evidence.examinations().enumerated() {
                examinations[index] += examination
            }
            examinations[0].findings += reading.flaws
            examinations[5].lookedAt += reading.acknowledgements
            examinations[5].findings += reading.losses
            known.formUnion(reading.evidence.cards.keys.map(\.activityID))
        }
        examinations[4] += examinePushes(in: `case`, besides: known)
        examinations[4].findings += complaints.filter(\.isPlain).map {
            "push \($0.apnsID): \($0.kind), \($0.detail)"
        }
        examinations[6] += try await examineParties(in: store)
        examinations[7].lookedAt += `case`.trespassAttempts
        examinations[7].findings += `case`.trespasses
        return Verdict(rows: examinations.map(Row.init))
    }

    /// The pushes that belong to nothing that is stored: to strangers, and for cards that are removed by now.
    private static func examinePushes(in case: VerdictCase, besides known: Set<ActivityID>) -> Examination {
        var evidence = Evidence()
        evidence.disturbedSpans = `case`.disturbedSpans
        evidence.pushes = `case`.testimony.strays
        // Of which adventure it is is known to the store alone; what is judged here is the card's.
        let nowhere = AdventureID(rawValue: UUID(bytes: [UInt8](repeating: 0, count: 16)))
        for (id, pushes) in `case`.testimony.pushes where !known.contains(id) {
            evidence.pushes += pushes.map { push in
                var push = push
                push.activity = ActivityName(adventureID: nowhere, activityID: id)
                return push
            }
        }
        var examination = evidence.examinePushes()
        examination.findings += `case`.testimony.flaws
        return examination
    }

    private static func examineParties(in store: GameStore) async throws -> Examination {
        var examination = Examination(of: 7)
        var place: PartyID?
        repeat {
            let page = try await store.parties(after: place, in: nil, limit: Self.page)
            examination.lookedAt += page.parties.count
            examination.findings += page.parties.filter { $0.members > $0.capacity }.map {
                "party \($0.id) has \($0.members) members, and room for \($0.capacity)"
            }
            place = page.next
        } while place != nil
        return examination
    }
}

extension Verdict.Row {
    /// How many violations are told in full.
    private static let told = 20

    init(_ examination: Examination) {
        let names = [
            ("every event is in the log once, in order", "entries"),
            ("a replay gives the same", "adventures"),
            ("the phones show the newest state", "cards"),
            ("alerts arrive, and once", "alerts"),
            ("timestamps grow; nothing after an end or to a dead token", "pushes"),
            ("what was acknowledged is done, once", "answers"),
            ("capacity, potions and turns hold", "heroes, turns, parties"),
            ("strangers are kept out", "attempts, commands, cards"),
        ]
        let (name, things) = names[examination.invariant - 1]
        self.init(
            invariant: examination.invariant,
            name: name,
            lookedAt: examination.lookedAt,
            things: things,
            violationCount: examination.findings.count,
            violations: Array(examination.findings.prefix(Self.told))
        )
    }
}

import Encodings
import GameCore
import PushCadence
import PushRules
import Testing

struct ActivityCadenceTests {
    private func expect(
        frequent: Bool = true,
        age: Duration = .zero,
        resuming lastTimestamp: Int64? = nil,
        change: (inout CadencePolicy) -> Void = { _ in },
        _ script: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var policy = CadencePolicy()
        change(&policy)
        var transcript = Transcript(
            ActivityCadence(
                policy: policy,
                frequentPushesEnabled: frequent,
                startedAt: Transcript.start - age,
                resuming: lastTimestamp,
                settledThrough: 0
            ),
            PhoneBudget(
                policy.pace(frequentPushesEnabled: frequent),
                lastPush: lastTimestamp.map(Timestamp.init(epochSeconds:))
            )
        )
        #expect(try transcript.play(script) == script, sourceLocation: sourceLocation)
    }

    @Test func `low things go at priority 5, together`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingOwed
            2.0 loot | wait 10.0 lowSpacing
            7.0 loot | wait 10.0 lowSpacing
            10.0 look | send 5 low
            10.1 ok | idle nothingOwed
            """
        )
        try expect(
            frequent: false,
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingOwed
            2.0 loot | wait 30.0 lowSpacing
            30.0 look | send 5 low
            """
        )
    }

    @Test func `turns go at priority 10, seconds apart, where the phone takes frequent pushes`() throws {
        try expect(
            """
            0.0 turn | send 10 turn
            0.1 ok | idle nothingOwed
            0.5 turn | wait 3.0 turnSpacing
            1.0 turn | wait 3.0 turnSpacing
            3.0 look | send 10 turn
            """
        )
    }

    @Test func `turns go at priority 5, further apart, where it does not`() throws {
        try expect(
            frequent: false,
            """
            0.0 turn | send 5 turnWithoutFrequentPushes
            0.1 ok | idle nothingOwed
            0.5 turn | wait 30.0 turnSpacing
            30.0 look | send 5 turnWithoutFrequentPushes
            """
        )
    }

    @Test func `a turn hurries low things that wait`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingOwed
            1.0 loot | wait 10.0 lowSpacing
            2.0 turn | wait 3.0 turnSpacing
            4.0 look | send 10 turn
            """
        )
    }

    @Test func `a turn is demoted when only what alerts need is left`() throws {
        try expect(
            change: {
                $0.frequent.highCapacity = 5
                $0.frequent.alertReserve = 3
                $0.frequent.highRefill = .seconds(60)
            },
            """
            0.0 turn | send 10 turn
            0.1 ok | idle nothingOwed
            3.0 turn | send 10 turn
            3.1 ok | idle nothingOwed
            6.0 turn | send 5 turnDemoted
            6.1 ok | idle nothingOwed
            7.0 down 1 | send 10 alert companionDown(1)
            7.1 ok | idle nothingOwed
            """
        )
    }

    @Test(arguments: [true, false])
    func `an alert goes at once at priority 10 and brings the state along`(frequent: Bool) throws {
        try expect(
            frequent: frequent,
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingOwed
            1.0 loot | wait \(frequent ? "10.0" : "30.0") lowSpacing
            2.0 down 1 | send 10 alert companionDown(1)
            2.1 ok | idle nothingOwed
            """
        )
    }

    @Test func `alerts go one a push and one push a second`() throws {
        try expect(
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 down 2 | idle inFlight
            0.2 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 alert companionDown(2)
            1.2 ok | idle nothingOwed
            """
        )
    }

    @Test func `a hero who is up again needs no alert`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingOwed
            0.2 down 1 | wait 1.0 minimumSpacing
            0.3 down 2 | wait 1.0 minimumSpacing
            0.4 up 1 | wait 1.0 minimumSpacing; drop companionDown(1) cancelledByEvent
            1.0 look | send 10 alert companionDown(2)
            """
        )
    }

    @Test func `an alert that got pointless under way is not sent a second time`() throws {
        try expect(
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 up 1 | idle inFlight
            0.2 retry 1 | wait 3.0 turnSpacing; drop companionDown(1) cancelledByEvent
            """
        )
    }

    @Test func `an alert whose push failed is sent again until it is too old`() throws {
        try expect(
            change: { $0.alertExpiry = .seconds(10) },
            """
            0.0 down 1 | send 10 alert companionDown(1)
            1.0 retry 2 | wait 3.0 backingOff
            3.0 look | send 10 alert companionDown(1)
            4.0 retry 7 | wait 11.0 backingOff
            11.0 look | send 10 turn; drop companionDown(1) expired
            """
        )
    }

    @Test func `what may have come through stays spent, what did not is given back`() throws {
        for (failure, next) in [("retry", "send 10 end"), ("lost", "send 5 end")] {
            try expect(
                frequent: false,
                change: {
                    $0.standard.highCapacity = 3
                    $0.standard.alertReserve = 2
                },
                """
                0.0 over | send 10 end
                0.1 \(failure) 5 | wait 5.1 backingOff
                5.1 look | \(next)
                """
            )
        }
    }

    @Test func `an alert waits for its budget, and the state goes ahead at priority 5`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 3
                $0.standard.alertReserve = 2
                $0.standard.highRefill = .seconds(60)
            },
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 ok | idle nothingOwed
            2.0 down 2 | wait 30.0 turnSpacing
            30.0 look | send 5 turnWithoutFrequentPushes
            30.1 ok | wait 60.0 budget
            60.0 look | send 10 alert companionDown(2)
            """
        )
    }

    @Test func `whose turn it is hears so at once, and no more when the turn has passed`() throws {
        try expect(
            """
            0.0 own | send 10 alert ownTurn
            0.1 ok | idle nothingOwed
            0.5 acted | wait 3.0 turnSpacing
            3.0 look | send 10 turn
            3.1 ok | idle nothingOwed
            3.2 own | wait 4.0 minimumSpacing
            3.3 acted | wait 6.0 turnSpacing; drop ownTurn cancelledByEvent
            """
        )
    }

    @Test func `a hero who is down comes before a turn that begins, and keeps its reserve`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 5
                $0.standard.alertReserve = 4
                $0.standard.highRefill = .seconds(600)
            },
            """
            0.0 own | send 10 alert ownTurn
            0.1 ok | idle nothingOwed
            0.2 acted | wait 30.0 turnSpacing
            1.0 own | wait 30.0 turnSpacing
            1.1 down 1 | send 10 alert companionDown(1)
            1.2 ok | wait 1200.0 budget
            9.0 acted | wait 31.1 turnSpacing; drop ownTurn outwaited
            """
        )
    }

    @Test func `a card says that it ends soon, and is ended before the system does it`() throws {
        // Eight hours less 25 minutes are 27,300 s; less twelve, 28,080 s.
        try expect(
            age: .seconds(26_400),
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingOwed
            900.0 look | send 5 cardEndsSoon
            900.1 ok | idle nothingOwed
            1000.0 down 1 | send 10 alert companionDown(1)
            1000.1 ok | idle nothingOwed
            1679.9 look | idle nothingOwed
            1680.0 look | send 10 end tooOld
            1680.1 retry 5 | wait 1685.1 backingOff
            1685.1 look | send 10 end tooOld
            1685.2 ok | idle ended
            1700.0 down 2 | idle ended
            """
        )
    }

    @Test func `a warning that failed is owed again, and one that came late gives way to the end`() throws {
        try expect(
            age: .seconds(27_300),
            """
            0.0 look | send 5 cardEndsSoon
            0.1 retry 20 | wait 20.1 backingOff
            20.1 look | send 5 cardEndsSoon
            20.2 ok | idle nothingOwed
            """
        )
        try expect(age: .seconds(28_800), "0.0 look | send 10 end tooOld")
    }

    @Test func `a card whose newer one has come is ended, and its alerts with it`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 ok | idle nothingOwed
            0.2 down 1 | wait 1.0 minimumSpacing
            0.3 replaced | wait 1.0 minimumSpacing; drop companionDown(1) cancelledByEnd
            1.0 look | send 10 end replaced
            1.1 ok | idle ended
            """
        )
    }

    @Test func `the cards of a phone spend from one budget`() throws {
        let start = Transcript.start
        var policy = CadencePolicy()
        policy.standard.alertReserve = policy.standard.highCapacity - 1
        var budget = PhoneBudget(policy.standard)
        // One is to spare beside what alerts need, and the first card takes it.
        for priority in [PushPriority.high, .low] {
            var cadence = ActivityCadence(
                policy: policy,
                frequentPushesEnabled: false,
                startedAt: start,
                resuming: nil,
                settledThrough: 0
            )
            cadence.owesCurrentState(position: 1, at: start)
            guard case .send(let push) = cadence.next(at: start, showing: 1, spending: &budget) else {
                Issue.record("not sent")
                return
            }
            #expect(push.priority == priority)
        }
    }

    @Test func `a full queue lets go of its oldest alert`() throws {
        try expect(
            change: { $0.alertQueueBound = 2 },
            """
            0.0 loot | send 5 low
            0.1 down 1 | idle inFlight
            0.2 down 2 | idle inFlight
            0.3 down 3 | idle inFlight; drop companionDown(1) queueFull
            """
        )
    }

    @Test func `the alert that tells the end goes out before the end, and the others not at all`() throws {
        try expect(
            """
            0.0 turn | send 10 turn
            0.1 down 1 | idle inFlight
            0.2 won | idle inFlight
            0.3 over | idle inFlight; drop companionDown(1) cancelledByEnd
            0.4 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 alert bossDefeated
            1.1 ok | wait 2.0 minimumSpacing
            2.0 look | send 10 end
            2.1 ok | idle ended
            3.0 loot | idle ended
            4.0 token | idle ended
            """
        )
    }

    @Test func `a journey that is completed alerts by itself`() throws {
        try expect(
            """
            0.0 completed | send 10 alert adventureOver
            0.1 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 end
            """
        )
    }

    @Test func `an end that fails is kept, whatever it takes`() throws {
        try expect(
            """
            0.0 over | send 10 end
            0.1 retry 5 | wait 5.1 backingOff
            5.1 look | send 10 end
            5.2 retry 60 | wait 65.2 backingOff
            65.2 look | send 10 end
            65.3 ok | idle ended
            """
        )
    }

    @Test func `the budget that alerts leave suffices to tell the end, and the end itself comes quietly`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 3
                $0.standard.alertReserve = 2
            },
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 ok | idle nothingOwed
            1.0 down 2 | wait 30.0 turnSpacing
            2.0 wiped | send 10 alert partyWiped
            2.1 over | idle inFlight; drop companionDown(2) outwaited
            2.2 ok | wait 3.0 minimumSpacing
            3.0 look | send 5 end
            """
        )
    }

    @Test func `while the alert that tells the end waits for its budget, the card shows the end`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 3
                $0.standard.alertReserve = 2
                $0.standard.highRefill = .seconds(60)
            },
            """
            0.0 down 0 | send 10 alert ownHeroDown
            0.1 ok | idle nothingOwed
            1.0 boss | send 10 alert bossAppeared
            1.1 ok | idle nothingOwed
            2.0 won | send 10 alert bossDefeated
            2.1 completed | idle inFlight
            2.2 ok | wait 32.0 turnSpacing
            32.0 look | send 5 turnWithoutFrequentPushes
            32.1 ok | wait 60.0 budget
            60.0 look | send 10 alert adventureOver
            60.1 ok | wait 61.0 minimumSpacing
            61.0 look | send 5 end
            61.1 ok | idle ended
            """
        )
    }

    @Test func `companions who are down are told of together, those who are up again not at all`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 down 1 | idle inFlight
            0.2 down 2 | idle inFlight
            0.3 down 3 | idle inFlight
            0.4 down 0 | idle inFlight
            0.5 up 2 | idle inFlight; drop companionDown(2) cancelledByEvent
            0.6 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 alert ownHeroDown
            1.1 ok | wait 2.0 minimumSpacing
            2.0 look | send 10 alert companionDown(3) and 1 more
            2.1 up 1 | idle inFlight
            2.2 retry 1 | wait 3.2 backingOff; drop companionDown(1) cancelledByEvent
            3.2 look | send 10 alert companionDown(3)
            """
        )
    }

    @Test func `who leaves the party gets the end, and nothing of the party afterwards`() throws {
        try expect(
            """
            0.0 left 1 | send 5 low
            0.1 ok | idle nothingOwed
            1.0 left 0 | send 10 end
            1.1 ok | idle ended
            2.0 down 1 | idle ended
            """
        )
    }

    @Test func `a new token gets the current state at once`() throws {
        try expect(
            frequent: false,
            """
            0.0 token | send 10 newToken
            0.1 ok | idle nothingOwed
            0.2 loot | wait 30.0 lowSpacing
            2.0 token | send 10 newToken
            2.1 ok | idle nothingOwed
            4.0 token | send 5 newToken
            """
        )
    }

    @Test func `what an old token got is owed to the new one`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 token | idle inFlight
            0.2 ok | wait 1.0 minimumSpacing
            1.0 look | send 10 newToken
            1.1 ok | idle nothingOwed
            5.0 over | send 10 end
            5.1 token | idle inFlight
            5.2 ok | wait 6.0 minimumSpacing
            6.0 look | send 10 end
            6.1 ok | idle ended
            """
        )
    }

    @Test func `a dead token gets nothing, and the next one all that matters, alerts too`() throws {
        try expect(
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 dead | idle tokenDead
            1.0 down 2 | idle tokenDead
            2.0 token | send 10 alert companionDown(2) and 1 more
            2.1 ok | idle nothingOwed
            3.0 loot | wait 12.0 lowSpacing
            12.0 look | send 5 low
            12.1 dead | idle tokenDead
            13.0 over | idle tokenDead
            14.0 token | send 10 end
            """
        )
    }

    @Test func `what APNs says of an old token is not about the new one`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 token | idle inFlight
            0.2 retry 3600 | wait 1.0 minimumSpacing
            1.0 look | send 10 newToken
            1.1 ok | idle nothingOwed
            5.0 over | send 10 end
            5.1 token | idle inFlight
            5.2 refused | wait 6.0 minimumSpacing
            6.0 look | send 10 end
            """
        )
    }

    @Test func `a hero who has left needs no potion`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.2 down 1 | idle inFlight
            0.3 left 1 | idle inFlight; drop companionDown(1) cancelledByEvent
            """
        )
    }

    @Test func `an alert for which there was no budget says so when it is cancelled`() throws {
        try expect(
            frequent: false,
            change: {
                $0.standard.highCapacity = 3
                $0.standard.alertReserve = 2
            },
            """
            0.0 own | send 10 alert ownTurn
            0.1 acted | idle inFlight
            0.2 ok | wait 30.0 turnSpacing
            1.0 own | wait 30.0 turnSpacing
            5.0 acted | wait 30.0 turnSpacing; drop ownTurn outwaited
            """
        )
    }

    @Test func `a phone that was told the end gets the end itself quietly where budget is short`() throws {
        try expect(
            frequent: false,
            """
            0.0 token | send 10 newToken
            0.1 ok | idle nothingOwed
            5.0 completed | send 10 alert adventureOver
            5.1 ok | wait 6.0 minimumSpacing
            6.0 look | send 5 end
            6.1 ok | idle ended
            """
        )
    }

    @Test func `a card whose warning went out with a turn is not warned again`() throws {
        try expect(
            age: .seconds(28_000),
            """
            0.0 turn | send 10 turn
            0.1 ok | idle nothingOwed
            """
        )
    }

    @Test func `the late death of an old token does not harm the new one`() throws {
        try expect(
            """
            0.0 down 1 | send 10 alert companionDown(1)
            0.1 token | idle inFlight
            0.2 dead | wait 1.0 minimumSpacing
            1.0 look | send 10 alert companionDown(1)
            """
        )
    }

    @Test func `what APNs refuses for good is not tried again`() throws {
        try expect(
            """
            0.0 loot | send 5 low
            0.1 refused | idle nothingOwed; drop state refused
            2.0 down 1 | send 10 alert companionDown(1)
            2.1 refused | wait 5.0 turnSpacing; drop companionDown(1) refused
            5.0 look | send 10 turn
            5.1 ok | idle nothingOwed
            9.0 over | send 10 end
            9.1 refused | idle ended; drop end refused
            """
        )
    }

    @Test func `who resumes does not know the budget and leaves it to alerts`() throws {
        try expect(
            resuming: Transcript.start.epochSeconds - 2,
            """
            0.0 turn | wait 1.0 turnSpacing
            1.0 look | send 5 turnDemoted
            1.1 ok | idle nothingOwed
            3.0 down 1 | send 10 alert companionDown(1)
            """
        )
    }
}

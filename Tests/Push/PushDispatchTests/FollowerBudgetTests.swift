import Encodings
import Foundation
import GameCore
import GameLog
import PushCadence
import Simulation
import Testing

@testable import PushDispatch

/// The budgets of phones across nodes, and the pushes beside them.
struct FollowerBudgetTests {
    @Test func `a node that takes over spends no budget twice, also for a new activity of the phone`() throws {
        try expectTranscript(
            playing: ["fight", "walk"],
            policy: .frugal,
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B walk 0 | send B p5 newToken #2
            1.1 ok #1 | -
            1.1 ok #2 | -
            2 over fight | send A p10 adventureOver #3
            2 over walk | send B p10 adventureOver #4
            2.1 ok #3 | wait minimumSpacing; wake 3.0
            2.1 ok #4 | wait minimumSpacing
            3 look | send A p5 end #5; send B p5 end #6
            3.1 ok #5 | -
            3.1 ok #6 | -
            4 start walk | wake 7.0
            4 register C walk 0 | send C p5 newToken #7
            4.1 ok #7 | -
            5 over walk | send C p10 adventureOver #8
            5.1 ok #8 | wait minimumSpacing; wake 6.0
            6 look | send C p5 end #9; wake 7.0
            6.1 ok #9 | -
            7 flushAll | flush to 6, A ended sent 3 shown 2.0, B ended sent 3 shown 2.000001, C ended sent 6 shown 5.0, log of A, log of B, log of C; start at 4.0
            8 restart | start at 4.0
            8 start walk | wake 11.0
            8 register D walk 0 | send D p5 newToken #10
            8.1 ok #10 | -
            9 over walk | wait budget
            """
        )
    }

    @Test func `a released activity leaves what was sent to it to the next activity of the phone`() throws {
        let shard = try expectTranscript(
            policy: .frugal,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            5 attack fight | send A p10 turn #2
            5.1 ok #2 | -
            6 release A | -
            7 flushAll | flush to 4, A live sent 5 shown 5.0, log of A
            8 register B fight 0 | send B p5 newToken #3
            """
        )
        let rows = shard.database.activities.values.sorted { $0.registeredAt < $1.registeredAt }
        #expect(
            rows.first?.budgetFullAt == FollowedShard.start + .seconds(5) + CadencePolicy.frugal.frequent.highRefill
        )
    }

    @Test func `a tablet beside a phone has a budget of its own`() throws {
        try expectTranscript(
            policy: .frugal,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            1.2 register B fight 0 tablet | send B p5 newToken #2
            1.3 ok #2 | -
            5 attack fight | send A p10 turn #3; send B p10 turn #4
            """
        )
        try expectTranscript(
            policy: .frugal,
            """
            1 register A fight 0 | send A p5 newToken #1
            1.1 ok #1 | -
            1.2 register B fight 0 | send B p5 newToken #2
            1.3 ok #2 | -
            5 attack fight | send A p10 turn #3; send B p5 turnDemoted #4
            """
        )
    }

    private static let start = FollowedShard.start

    private func context() -> FollowerContext {
        let settings = FollowerContext.Settings(
            policy: CadencePolicy.Shared(CadencePolicy()),
            environments: [.simulator],
            maxInFlight: 1,
            openBreakerDelay: .zero,
            leaseRetryDelay: .zero,
            answerLimit: .zero
        )
        return FollowerContext(settings, now: Self.start, uptime: ContinuousClock.now, randomBits: { 0 })
    }

    private func activity(
        on device: Int,
        in environment: PushEnvironment = .simulator,
        isFrequent: Bool = false,
        registeredAt moment: Timestamp = Self.start,
        budgetFullAt: Timestamp? = nil
    ) -> Activity {
        var activity = Activity(
            id: ActivityID(rawValue: UUID()),
            adventureID: AdventureID(rawValue: UUID()),
            playerID: .player(0),
            deviceID: .device(device),
            pushToken: [1],
            environment: environment,
            frequentPushesEnabled: isFrequent,
            locale: nil,
            registeredAt: moment
        )
        activity.budgetFullAt = budgetFullAt
        return activity
    }

    @Test func `the start of an activity by push spends the budget of the device`() throws {
        var context = context()
        context.spendStart(on: .device(0), of: .player(0), isFrequent: false)
        let spent = Self.start + CadencePolicy.Pace.standard.highRefill
        #expect(context.device(of: activity(on: 0)).budget.fullAt == spent)
        #expect(context.device(of: activity(on: 1)).budget.isFull(at: Self.start))
    }

    @Test func `a device has one budget in all environments and at all frequencies, at the pace registered last`() {
        var context = context()
        let device = context.device(of: activity(on: 0, isFrequent: true))
        device.budget.assumeSpent(3, at: Self.start)
        // The order in which a node learns of registrations decides nothing.
        let newer = activity(on: 0, in: .production, registeredAt: Self.start + .seconds(2))
        #expect(context.device(of: newer) === device)
        #expect(
            context.device(of: activity(on: 0, isFrequent: true, registeredAt: Self.start + .seconds(1))) === device
        )
        #expect(device.pace == .standard)
        #expect(device.budget.fullAt == Self.start + CadencePolicy.Pace.standard.highRefill * 3)
        let newest = activity(on: 0, isFrequent: true, registeredAt: Self.start + .seconds(3))
        #expect(context.device(of: newest) === device)
        #expect(device.pace == .frequent)
        #expect(device.budget.fullAt == Self.start + CadencePolicy.Pace.frequent.highRefill * 3)
    }

    @Test func `a push that was never sent is retried within half a second, however often`() throws {
        try expectTranscript(
            """
            1 register A fight 0 | send A p5 newToken #1
            3 unsent #1 | wait backingOff; wake 3.25
            3.25 look | send A p5 newToken #2
            5 unsent #2 | wait backingOff; wake 5.25
            5.25 look | send A p5 newToken #3
            7 unsent #3 | wait backingOff; wake 7.25
            7.25 look | send A p5 newToken #4
            9 unsent #4 | wait backingOff; wake 9.25
            9.25 look | send A p5 newToken #5
            9.5 ok #5 | -
            """
        )
    }

    @Test func `of all suspect tokens, one is tried a second`() throws {
        try expectTranscript(
            playing: ["fight", "walk"],
            """
            1 register A fight 0 | send A p5 newToken #1
            1 register B fight 1 | send B p5 newToken #2
            1 register C walk 0 | send C p5 newToken #3
            1 register D walk 1 | send D p5 newToken #4
            1 bad #1 | wait backingOff; wake 11.0
            1 bad #2 | wait backingOff
            1 bad #3 | wait backingOff
            1 bad #4 | wait backingOff
            11 look | send A p5 newToken #5; wait backingOff; wait backingOff; wait backingOff; wake 12.0
            12 look | send B p5 newToken #6; wake 13.0
            13 look | send C p5 newToken #7; wake 14.0
            14 look | send D p5 newToken #8
            """
        )
    }
}

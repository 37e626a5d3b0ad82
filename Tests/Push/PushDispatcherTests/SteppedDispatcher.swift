import APNsClient
import GameStore
import TestSupport
import Testing

@testable import PushDispatcher

/// A dispatcher whose poll cycles a test runs, and whose pushes the test answers in place of APNs.
struct SteppedDispatcher {
    let loop: DispatchLoop
    private var iterator: AsyncStream<[OutgoingPush]>.Iterator
    /// The pushes of the last batch that no call has returned yet.
    private var pending: [OutgoingPush] = []
    private var taken = 0

    init(in world: DispatchWorld, drainLimit: Duration = .seconds(11), maxInFlight: Int = 4_000) {
        let (pushes, outgoing) = AsyncStream<[OutgoingPush]>.makeStream()
        loop = world.loop(sending: outgoing, drainLimit: drainLimit, maxInFlight: maxInFlight)
        iterator = pushes.makeAsyncIterator()
    }

    /// Runs a poll cycle.
    func runCycle() async {
        await loop.runCycle()
    }

    /// Runs poll cycles until a number of further pushes has been decided, and returns them.
    mutating func pushes(_ count: Int) async throws -> [OutgoingPush] {
        taken += count
        try await eventually("\(count) pushes") { [self] in
            await runCycle()
            return await loop.pushes >= taken
        }
        while pending.count < count, let batch = await iterator.next(isolation: #isolation) { pending += batch }
        defer { pending.removeFirst(count) }
        return Array(pending.prefix(count))
    }

    /// Runs poll cycles until a further push has been decided, and returns it.
    mutating func push() async throws -> OutgoingPush { try await pushes(1)[0] }

    /// Lets APNs accept a push.
    func accept(_ push: OutgoingPush) {
        loop.completedPushes.put([CompletedPush(push, .accepted(apnsID: push.request.id, uniqueID: nil))])
    }

    /// Lets APNs reject a push for good.
    func reject(_ push: OutgoingPush) {
        let rejection = APNsRejection(status: 413, reason: .payloadTooLarge)
        loop.completedPushes.put([CompletedPush(push, .rejected(rejection))])
    }
}

extension DispatchLoop {
    /// Does once what the tasks of a dispatcher repeat.
    func runCycle() async {
        _ = await presence.renew()
        _ = await acquireShards()
        await runPollCycle()
    }
}

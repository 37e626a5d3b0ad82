import Encodings
import Foundation
import GameCore
import GameLog
import PushDispatch
import TestSupport
import Testing

/// Dispatchers that keep channels and are killed at random moments, before a model of APNs.
@Suite struct ChannelSimulationTests {
    private static let limit = 12

    /// The channels that APNs has, and the requests that are on their way to it.
    private struct APNs {
        var channels: Set<String> = []
        var maxChannels = 0
        private var count = 0

        mutating func create() -> String {
            count += 1
            channels.insert("channel-\(count)")
            maxChannels = max(maxChannels, channels.count)
            return "channel-\(count)"
        }
    }

    /// A request of a dispatcher: each step may be the last one of the dispatcher's life.
    private struct Request {
        let key: BroadcastChannel.Key
        let request: ChannelRequest
        /// When APNs processes it, and when the dispatcher has the answer.
        let arrival: Timestamp
        let completion: Timestamp
        var answer: ChannelAnswer?
        /// Whether the dispatcher that waits for the answer lives.
        var isAwaited = true
    }

    private struct World {
        var now = Timestamp(epochSeconds: 1_800_000_000)
        var generator: SeededGenerator
        var apns = APNs()
        var rows: [BroadcastChannel.Key: BroadcastChannel] = [:]
        var requests: [Request] = []
        /// The lists of the living dispatcher.
        var reconciliation = ChannelReconciliation(limit: ChannelSimulationTests.limit)
        var listDueAt = Timestamp(epochSeconds: 0)
        var kills = 0
        /// The channels that were deleted as leftovers, and those of them that became a row's afterwards.
        var discarded: Set<String> = []
        var mistakes: Set<String> = []

        var live: [BroadcastChannel] {
            // One begins each second at most.
            rows.values.filter { $0.state != .deleted }.sorted { $0.wantedAt < $1.wantedAt }
        }

        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

        /// Another dispatcher takes over; the answers to requests of the dead one are lost.
        mutating func kill() {
            kills += 1
            for index in requests.indices { requests[index].isAwaited = false }
            reconciliation = ChannelReconciliation(limit: ChannelSimulationTests.limit)
            listDueAt = now
        }

        mutating func handle(_ event: ChannelLife.Event, of key: BroadcastChannel.Key, fatal: Int = 0) {
            guard let row = rows[key] else { return }
            var life = ChannelLife(row)
            let effects = life.handle(event, at: now, randomBits: generator.next())
            rows[key] = life.channel
            for effect in effects {
                // Between the commit and the request.
                guard !chance(fatal) else { return kill() }
                switch effect {
                case .send(let request):
                    // A request takes ten seconds at most, but the machine of the dispatcher may stand still.
                    let arrival = now + .milliseconds(Int64.random(in: 0...10_000, using: &generator))
                    let stall = Duration.seconds(chance(20) ? Int64.random(in: 0...200, using: &generator) : 0)
                    requests.append(
                        Request(key: key, request: request, arrival: arrival, completion: arrival + stall)
                    )
                case .discard(let id): apns.channels.remove(id)
                case .reconcile: listDueAt = min(listDueAt, now + .seconds(75))
                case .report: break
                }
            }
        }

        /// APNs processes the requests that have arrived, and the dispatchers that live get the answers.
        mutating func deliver(fatal: Int, failing: Int) {
            for index in requests.indices where requests[index].arrival <= now && requests[index].answer == nil {
                let answer: ChannelAnswer =
                    switch requests[index].request {
                    case .create: chance(failing) ? .unavailable(retryAfter: .zero) : .created(apns.create())
                    case .delete(let id): apns.channels.remove(id) == nil ? .notRegistered : .accepted
                    case .broadcast(_, to: let id): apns.channels.contains(id) ? .accepted : .notRegistered
                    }
                // The answer may be lost.
                requests[index].answer = chance(failing) ? .unknown : answer
            }
            let completed = requests.filter { $0.completion <= now }
            requests.removeAll { $0.completion <= now }
            for request in completed {
                guard request.isAwaited, let answer = request.answer else { continue }
                // Between the answer and the commit.
                if chance(fatal) {
                    kill()
                    continue
                }
                handle(.answer(answer, to: request.request), of: request.key, fatal: fatal)
                if let id = rows[request.key]?.channelID, discarded.contains(id) { mistakes.insert(id) }
            }
        }

        mutating func keep(fatal: Int) {
            // Operators ask for lists, too.
            if listDueAt <= now || chance(fatal) {
                let actions = reconciliation.compare(apns.channels.sorted(), at: now, with: live, at: now)
                listDueAt = now + (reconciliation.isUncertain ? .seconds(75) : .seconds(3_600))
                for id in actions.discards {
                    guard !chance(fatal) else { return kill() }
                    apns.channels.remove(id)
                    discarded.insert(id)
                    reconciliation.noteDiscard(of: id)
                }
                for (key, id) in actions.lost { handle(.lost(id), of: key, fatal: fatal) }
                for key in actions.evictions { handle(.end, of: key, fatal: fatal) }
            }
            let due = live.filter { $0.retryAt <= now && ($0.state == .wanted || $0.state == .ending) }
            let room = reconciliation.room(for: due, among: live)
            if room.needsList { listDueAt = min(listDueAt, now + .seconds(10)) }
            for key in room.evictions { handle(.end, of: key, fatal: fatal) }
            for key in room.ready { handle(.due, of: key, fatal: fatal) }
        }

        /// Owners come and go, and APNs loses a channel now and then.
        mutating func play() {
            if chance(20) {
                let owner = BroadcastChannel.Owner(.raid, UUID(version7At: now, using: &generator))
                let key = BroadcastChannel.Key(owner, in: .simulator)
                rows[key] = BroadcastChannel(key, storing: .noMessage, wantedAt: now)
            }
            rows = rows.filter { $0.value.state != .deleted }
            for row in live {
                if chance(1) { handle(.end, of: row.key) }
                if chance(10) {
                    let version = Int64(now.epochSeconds - 1_799_999_000)
                    handle(.state(ChannelBroadcast(version: version, stage: 0, isFinal: chance(5))), of: row.key)
                }
            }
            if chance(1), let id = apns.channels.sorted().randomElement(using: &generator) { apns.channels.remove(id) }
        }
    }

    /// Dispatchers that hardly live are interrupted everywhere; others live long enough to meet late answers.
    @Test(arguments: [(seed: 1, fatal: 10, kills: 480), (2, 10, 480), (3, 1, 40)])
    func `a thousand kills leave no channel behind, and never too many`(seed: UInt64, fatal: Int, kills: Int) {
        var world = World(generator: SeededGenerator(seed: seed))
        while world.kills < kills {
            world.now = world.now + .seconds(1)
            world.play()
            world.deliver(fatal: fatal, failing: 10)
            world.keep(fatal: fatal)
        }
        #expect(world.apns.maxChannels <= Self.limit)
        // The raids end, and nothing fails any more: all is over after two lists.
        for row in world.live { world.handle(.end, of: row.key) }
        for _ in 0..<400 {
            world.now = world.now + .seconds(1)
            world.deliver(fatal: 0, failing: 0)
            world.keep(fatal: 0)
        }
        #expect(world.live.isEmpty)
        #expect(world.mistakes.isEmpty)
        #expect(world.apns.channels.isEmpty)
        #expect(world.apns.maxChannels > Self.limit / 2)
    }
}

import Encodings
import Foundation
import GameCore
import GameLog
import PushDispatch
import TestSupport
import Testing

@Suite struct ChannelLifeTests {
    private static let start = Timestamp(epochSeconds: 1_800_000_000)
    private static let createAnswers: [(String, ChannelAnswer)] = [
        ("accepted", .created("new")), ("limitReached", .limitReached),
    ]
    private static let otherAnswers: [(String, ChannelAnswer)] = [
        ("accepted", .accepted), ("notRegistered", .notRegistered),
    ]
    private static let failures: [(String, ChannelAnswer)] = [
        ("unavailable", .unavailable(retryAfter: .seconds(20))), ("refused", .refused), ("invalid", .invalid),
        ("unknown", .unknown), ("neverSent", .neverSent),
    ]

    private func at(_ seconds: Double) -> Timestamp { Self.start + .milliseconds(Int64(seconds * 1_000)) }

    private func channel(_ state: BroadcastChannel.State, claimedAt: Timestamp? = nil) -> BroadcastChannel {
        let owner = BroadcastChannel.Owner(.raid, UUID(uuidString: "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11") ?? UUID())
        var channel = BroadcastChannel(
            BroadcastChannel.Key(owner, in: .simulator),
            storing: .noMessage,
            wantedAt: Self.start
        )
        channel.state = state
        if [.created, .live, .ending].contains(state), claimedAt == nil {
            (channel.channelID, channel.createdAt) = ("old", Self.start)
        }
        if state == .live { (channel.version, channel.stage) = (5, 1) }
        channel.attemptedAt = claimedAt
        return channel
    }

    /// Returns what an event does to a channel ten seconds after the start, with the greatest jitter.
    private func line(_ name: String, _ channel: BroadcastChannel, _ event: ChannelLife.Event) -> String {
        var life = ChannelLife(channel)
        let effects = life.handle(event, at: at(10), randomBits: .max)
        let after = life.channel
        var parts = ["\(channel.state) \(name) -> \(after.state)"]
        if let id = after.channelID { parts.append(id) }
        if after.attemptedAt != nil { parts.append("claimed") }
        if after.attempts > 0 { parts.append("\(after.attempts) failed") }
        if after.retryAt > at(10) { parts.append("retry in \(seconds(after.retryAt)) s") }
        if after.version != channel.version { parts.append("version \(after.version)") }
        if after.broadcastAfter > at(10) { parts.append("broadcast in \(seconds(after.broadcastAfter)) s") }
        parts += effects.map { effect in
            switch effect {
            case .send(.create): "send create"
            case .send(.delete(let id)): "send delete \(id)"
            case .send(.broadcast(let state, to: let id)): "send \(state.isFinal ? "last " : "")broadcast \(id)"
            case .discard(let id): "discard \(id)"
            case .reconcile: "reconcile"
            case .report: "report"
            }
        }
        return parts.joined(separator: ", ")
    }

    private func seconds(_ moment: Timestamp) -> Int { Int((moment - at(10)).wholeMicroseconds + 500_000) / 1_000_000 }

    @Test func `every answer in every state`() {
        var lines: [String] = []
        for state in BroadcastChannel.State.allCases {
            for (name, answer) in Self.createAnswers + Self.failures {
                // A create is under way in two states only.
                for claimedAt in [at(9), nil] where claimedAt == nil || state == .wanted || state == .ending {
                    let request = ChannelRequest.create(claimedAt: at(9))
                    let about = claimedAt == nil ? "create late" : "create"
                    lines.append(
                        line("\(about) \(name)", channel(state, claimedAt: claimedAt), .answer(answer, to: request))
                    )
                }
            }
            for (name, answer) in Self.otherAnswers + Self.failures {
                lines.append(line("delete \(name)", channel(state), .answer(answer, to: .delete("old"))))
                for isFinal in [false, true] {
                    let broadcast = ChannelBroadcast(version: 6, stage: 1, isFinal: isFinal)
                    let request = ChannelRequest.broadcast(broadcast, to: "old")
                    let about = isFinal ? "last broadcast" : "broadcast"
                    lines.append(line("\(about) \(name)", channel(state), .answer(answer, to: request)))
                }
            }
        }
        // Where nothing happens is not listed.
        let changes = lines.filter { line in
            let words = line.split(separator: " ")
            return !(line.hasSuffix("-> \(words[0])") || line.hasSuffix("-> \(words[0]), old"))
        }
        #expect(changes.joined(separator: "\n") == Self.afterAnswers)
    }

    @Test func `every other event in every state`() {
        var lines: [String] = []
        for state in BroadcastChannel.State.allCases {
            let channel = channel(state)
            lines.append(line("due", channel, .due))
            lines.append(line("end", channel, .end))
            lines.append(line("lost", channel, .lost("old")))
            lines.append(line("older", channel, .state(ChannelBroadcast(version: 5, stage: 1, isFinal: false))))
            lines.append(line("newer", channel, .state(ChannelBroadcast(version: 6, stage: 2, isFinal: false))))
            lines.append(line("last", channel, .state(ChannelBroadcast(version: 6, stage: 1, isFinal: true))))
            lines.append(line("further last", channel, .state(ChannelBroadcast(version: 6, stage: 2, isFinal: true))))
        }
        for claimedAt in [at(9), at(-55)] {
            lines.append(line("claimed, due", channel(.wanted, claimedAt: claimedAt), .due))
            lines.append(line("claimed, end", channel(.wanted, claimedAt: claimedAt), .end))
            lines.append(line("claimed, due", channel(.ending, claimedAt: claimedAt), .due))
        }
        #expect(lines.joined(separator: "\n") == Self.afterEvents)
    }

    @Test func `a broadcast a second at most, the same state again after a minute, and longer waits after failures`() {
        var life = ChannelLife(channel(.created))
        let newest = ChannelBroadcast(version: 100, stage: 0, isFinal: false)
        func answers(_ answer: ChannelAnswer, at seconds: Double) {
            _ = life.handle(.answer(answer, to: .broadcast(newest, to: "old")), at: at(seconds), randomBits: .max)
        }
        func isSent(_ broadcast: ChannelBroadcast, at seconds: Double) -> Bool {
            !life.handle(.state(broadcast), at: at(seconds), randomBits: 0).isEmpty
        }
        #expect(isSent(newest, at: 0))
        let newer = ChannelBroadcast(version: 101, stage: 0, isFinal: false)
        #expect(!isSent(newer, at: 0.9) && isSent(newer, at: 1))
        answers(.accepted, at: 1.1)
        #expect(!isSent(newest, at: 60.9) && isSent(newest, at: 61))
        var waits: [Int] = []
        for _ in 0..<8 {
            answers(.unavailable(retryAfter: .zero), at: 100)
            waits.append(Int((life.channel.broadcastAfter - at(100)).components.seconds))
        }
        #expect(waits == [1, 1, 2, 4, 8, 16, 32, 60])
    }

    @Test func `a broadcast may be early by half a second, and has a timestamp of its own`() {
        var life = ChannelLife(channel(.live))
        var timestamps: [Int64] = []
        for (version, milliseconds) in [10_000, 10_400, 10_600, 11_400, 11_500, 12_500, 13_490, 13_800].enumerated() {
            let before = life.channel
            let now = Self.start + .milliseconds(milliseconds)
            let broadcast = ChannelBroadcast(version: Int64(100 + version), stage: 1, isFinal: false)
            guard !life.handle(.state(broadcast), at: now, randomBits: 0).isEmpty else { continue }
            timestamps.append(ChannelLife.slot(of: before, at: now).epochSeconds - Self.start.epochSeconds)
            #expect(life.channel.broadcastAfter - now >= .milliseconds(500))
        }
        // Sent at 10, 10.6, 11.5, 12.5 and 13.8 s.
        #expect(timestamps == [10, 11, 12, 13, 14])
    }

    private static let afterAnswers = """
        wanted create accepted -> created, new
        wanted create late accepted -> wanted, discard new
        wanted create limitReached -> wanted, 1 failed, retry in 1 s, reconcile
        wanted create unavailable -> wanted, 1 failed, retry in 21 s
        wanted create refused -> wanted, 1 failed, retry in 300 s, report
        wanted create invalid -> wanted, 1 failed, retry in 300 s, report
        wanted create unknown -> wanted, claimed, 1 failed, retry in 59 s, reconcile
        wanted create neverSent -> wanted, retry in 1 s
        created create late accepted -> created, old, discard new
        created broadcast accepted -> live, old, version 6
        created last broadcast accepted -> ending, old, version 6
        created broadcast notRegistered -> wanted
        created last broadcast notRegistered -> deleted
        created broadcast unavailable -> created, old, broadcast in 21 s
        created last broadcast unavailable -> created, old, broadcast in 21 s
        created broadcast refused -> created, old, broadcast in 300 s, report
        created last broadcast refused -> created, old, broadcast in 300 s, report
        created broadcast invalid -> created, old, version 6, report
        created last broadcast invalid -> ending, old, version 6, report
        created broadcast unknown -> created, old, broadcast in 1 s
        created last broadcast unknown -> created, old, broadcast in 1 s
        created broadcast neverSent -> created, old, broadcast in 1 s
        created last broadcast neverSent -> created, old, broadcast in 1 s
        live create late accepted -> live, old, discard new
        live broadcast accepted -> live, old, version 6
        live last broadcast accepted -> ending, old, version 6
        live broadcast notRegistered -> wanted, version 0
        live last broadcast notRegistered -> deleted
        live broadcast unavailable -> live, old, broadcast in 21 s
        live last broadcast unavailable -> live, old, broadcast in 21 s
        live broadcast refused -> live, old, broadcast in 300 s, report
        live last broadcast refused -> live, old, broadcast in 300 s, report
        live broadcast invalid -> live, old, version 6, report
        live last broadcast invalid -> ending, old, version 6, report
        live broadcast unknown -> live, old, broadcast in 1 s
        live last broadcast unknown -> live, old, broadcast in 1 s
        live broadcast neverSent -> live, old, broadcast in 1 s
        live last broadcast neverSent -> live, old, broadcast in 1 s
        ending create accepted -> ending, new
        ending create late accepted -> ending, old, discard new
        ending create limitReached -> deleted
        ending create unavailable -> deleted
        ending create refused -> deleted
        ending create invalid -> deleted
        ending create unknown -> ending, claimed, 1 failed, retry in 59 s, reconcile
        ending create neverSent -> deleted
        ending delete accepted -> deleted
        ending delete notRegistered -> deleted
        ending delete unavailable -> ending, old, 1 failed, retry in 21 s
        ending delete refused -> ending, old, 1 failed, retry in 300 s, report
        ending delete invalid -> ending, old, 1 failed, retry in 300 s, report
        ending delete unknown -> ending, old, 1 failed, retry in 1 s
        ending delete neverSent -> ending, old, retry in 1 s
        deleted create late accepted -> deleted, discard new
        """

    private static let afterEvents = """
        wanted due -> wanted, claimed, retry in 60 s, send create
        wanted end -> deleted
        wanted lost -> wanted
        wanted older -> wanted
        wanted newer -> wanted
        wanted last -> deleted
        wanted further last -> deleted
        created due -> created, old
        created end -> ending, old
        created lost -> wanted
        created older -> created, old, broadcast in 1 s, send broadcast old
        created newer -> created, old, broadcast in 1 s, send broadcast old
        created last -> created, old, broadcast in 1 s, send broadcast old
        created further last -> created, old, broadcast in 1 s, send broadcast old
        live due -> live, old
        live end -> ending, old
        live lost -> wanted, version 0
        live older -> live, old
        live newer -> live, old, broadcast in 1 s, send broadcast old
        live last -> live, old, broadcast in 1 s, send last broadcast old
        live further last -> live, old, broadcast in 1 s, send broadcast old
        ending due -> ending, old, send delete old
        ending end -> ending, old
        ending lost -> deleted
        ending older -> ending, old
        ending newer -> ending, old
        ending last -> ending, old
        ending further last -> ending, old
        deleted due -> deleted
        deleted end -> deleted
        deleted lost -> deleted
        deleted older -> deleted
        deleted newer -> deleted
        deleted last -> deleted
        deleted further last -> deleted
        wanted claimed, due -> wanted, claimed
        wanted claimed, end -> ending, claimed
        ending claimed, due -> ending, claimed
        wanted claimed, due -> wanted, claimed, retry in 60 s, send create
        wanted claimed, end -> ending, claimed
        ending claimed, due -> deleted
        """
}

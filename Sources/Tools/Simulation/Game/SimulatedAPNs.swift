import APNsClient
import Encodings
import Foundation
import GameCore
import PushDispatcher

/// APNs and the phones behind it: takes pushes, refuses some, loses answers, and remembers everything.
///
/// Unchecked but true: like its world it is touched on the world's one thread only.
package final class SimulatedAPNs: @unchecked Sendable {
    /// How long things take, and how often they go wrong.
    package struct Weather: Sendable {
        /// The time on the way, each way, in milliseconds.
        package var latency = 5...60
        /// How many of a thousand pushes wait in the sender for seconds before they are written.
        package var queuedInAThousand = 0
        /// How many of a thousand ways take seconds.
        package var slowInAThousand = 0
        /// How many of a thousand pushes find no connection.
        package var brokenInAThousand = 0
        /// How many of a thousand answers are lost.
        package var lostInAThousand = 0
        /// How many of a thousand pushes are refused for a reason that passes.
        package var refusedInAThousand = 0
        /// How many of a thousand pushes reach the phone twice.
        package var doubledInAThousand = 0
        /// Whether no connection can be made.
        package var isDown = false
    }

    private struct Token {
        let activity: ActivityName
        var diedAt: Int64?
    }

    /// How long the sender waits for an answer; what `APNsClient` does by default.
    private static let requestTimeout = Duration.seconds(10)

    private let world: World
    private let defect: Defect?
    private var tokens: [String: Token] = [:]
    private var waiting: [Int: CheckedContinuation<APNsOutcome, Never>] = [:]
    private var isClosed = false

    /// What it is like at the moment.
    package var weather = Weather()
    /// Every push that was written, in the order of writing.
    package private(set) var pushes: [PushRecord] = []
    /// What the phones show.
    package private(set) var cards: [ActivityName: Card] = [:]
    /// Is told when something goes wrong with a push.
    package var onDisturbance: @Sendable () -> Void = {}
    /// Is told of every push that a node is about to write.
    var onSending: @Sendable (_ place: Place) -> Void = { _ in }
    /// Is told of every answer that a node will never hear of.
    var onLostAnswer: @Sendable (_ place: Place) -> Void = { _ in }

    /// An APNs that has seen no push.
    /// - Parameters:
    ///   - world: whose time it takes.
    ///   - defect: what is wrong on purpose with those who send.
    package init(in world: World, defect: Defect? = nil) {
        self.world = world
        self.defect = defect
    }

    /// What a dispatcher sends with.
    func sender(from place: Place) -> any PushSender {
        Sender(apns: self, place: place)
    }

    /// A card has a new token; those that it had before are dead from now on.
    package func issue(_ token: [UInt8], to activity: ActivityName) {
        kill(activity)
        tokens[DeviceToken(bytes: token)?.hex ?? ""] = Token(activity: activity)
        if cards[activity] == nil { cards[activity] = Card() }
    }

    /// A card has no good token any more.
    package func kill(_ activity: ActivityName) {
        for (hex, token) in tokens where token.activity == activity && token.diedAt == nil {
            tokens[hex]?.diedAt = world.elapsed
        }
    }

    /// Whether a token is the newest of its card.
    package func isGood(_ token: [UInt8]) -> Bool {
        DeviceToken(bytes: token).flatMap { tokens[$0.hex] }.map { $0.diedAt == nil } ?? false
    }

    /// Nothing is answered any more.
    package func close() {
        isClosed = true
        for number in waiting.keys.sorted() {
            waiting.removeValue(forKey: number)?.resume(returning: .neverSent(.shuttingDown))
        }
    }
}

// MARK: - One push

extension SimulatedAPNs {
    private struct Sender: PushSender {
        let apns: SimulatedAPNs
        let place: Place
        var address: (host: String, port: Int) { ("apns.simulation", 443) }
        var keyChanges: Int { 0 }

        func send(_ push: APNsPush) async -> APNsOutcome {
            await apns.send(push, from: place)
        }
    }

    private func send(_ push: APNsPush, from place: Place) async -> APNsOutcome {
        let deadline = world.uptime + Self.requestTimeout
        onSending(place)
        // Where its process is held, if that is what happens.
        await Task.yield()
        if world.happens(inAThousand: weather.queuedInAThousand) {
            // Ends early by cancellation, and then the push is written early.
            try? await world.sleep(for: world.duration(500...6_000))
        }
        if isClosed { return .neverSent(.shuttingDown) }
        if let sendBy = push.sendBy, world.uptime >= sendBy, defect != .pushesSentLate { return .neverSent(.tooLate) }
        if weather.isDown || world.happens(inAThousand: weather.brokenInAThousand) {
            // Ends early by cancellation, and then it is known earlier that there is no connection.
            try? await world.sleep(for: world.duration(1...500))
            return .neverSent(.connection("no connection"))
        }
        let number = pushes.count
        pushes.append(PushRecord(push, to: tokens[push.deviceToken.hex]?.activity, from: place, at: world.elapsed))
        world.note(pushes[number].description)
        return await withCheckedContinuation { continuation in
            waiting[number] = continuation
            world.after(passage()) { self.arrive(push, number: number, from: place) }
            world.after(deadline - world.uptime) {
                guard let sender = self.waiting.removeValue(forKey: number) else { return }
                self.onDisturbance()
                sender.resume(returning: .unknown(.timedOut))
            }
        }
    }

    private func passage() -> Duration {
        let isSlow = world.happens(inAThousand: weather.slowInAThousand)
        return world.duration(isSlow ? 1_000...12_000 : weather.latency)
    }

    private func arrive(_ push: APNsPush, number: Int, from place: Place) {
        guard !isClosed else { return }
        let outcome = judge(push, number: number)
        pushes[number].arrivedAt = world.elapsed
        world.note("push \(push.id) is \(pushes[number].fate)")
        if world.happens(inAThousand: weather.lostInAThousand) {
            onDisturbance()
            onLostAnswer(place)
            return
        }
        world.after(passage()) {
            guard let sender = self.waiting.removeValue(forKey: number) else { return }
            // A process that stands still hears of nothing.
            if !place.isStopped { self.pushes[number].toldAt = self.world.elapsed }
            sender.resume(returning: outcome)
        }
    }

    private func judge(_ push: APNsPush, number: Int) -> APNsOutcome {
        guard let token = tokens[push.deviceToken.hex], token.diedAt == nil else {
            pushes[number].fate = .deadToken
            if defect == .deadTokensKept { return .refused(APNsRefusal(status: 503, reason: .serviceUnavailable)) }
            let diedAt = tokens[push.deviceToken.hex]?.diedAt ?? 0
            if world.happens(inAThousand: 200) {
                pushes[number].fate = .refused
                return .refused(APNsRefusal(status: 400, reason: .badDeviceToken))
            }
            let since = (World.beginning + .microseconds(diedAt)).epochMilliseconds
            return .refused(APNsRefusal(status: 410, reason: .unregistered, tokenInvalidSinceMilliseconds: since))
        }
        if world.happens(inAThousand: weather.refusedInAThousand) {
            pushes[number].fate = .refused
            switch world.number(below: 3) {
            case 0: return .refused(APNsRefusal(status: 429, reason: .tooManyRequests, retryAfterSeconds: 2))
            case 1: return .refused(APNsRefusal(status: 503, reason: .serviceUnavailable))
            default: return .refused(APNsRefusal(status: 500, reason: .internalServerError))
            }
        }
        pushes[number].fate = .accepted
        let record = pushes[number]
        cards[token.activity]?.show(record)
        if world.happens(inAThousand: weather.doubledInAThousand) {
            world.after(world.duration(10...5_000)) { self.cards[token.activity]?.show(record) }
        }
        return .accepted(apnsID: push.id, uniqueID: nil)
    }
}

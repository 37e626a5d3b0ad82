import APNsClient
import Encodings
import Foundation
package import GameCore
import PushDispatcher

/// A simulation of APNs and the phones behind it, which accepts and rejects pushes, loses responses, and records all
/// pushes.
package final class SimulatedAPNs {
    /// Latencies and fault rates.
    package struct Conditions: Sendable {
        /// The one-way latency in milliseconds.
        package var latency = 5...60
        /// The number of pushes in a thousand that wait in the client for seconds before they are written.
        package var queuedInAThousand = 0
        /// The number of one-way trips in a thousand that take seconds.
        package var slowInAThousand = 0
        /// The number of pushes in a thousand that fail because no connection is available.
        package var brokenInAThousand = 0
        /// The number of responses in a thousand that are lost.
        package var lostInAThousand = 0
        /// The number of accepted pushes in a thousand whose outcome the client never reports.
        package var forgottenInAThousand = 0
        /// The number of pushes in a thousand that are rejected for a transient reason.
        package var rejectedInAThousand = 0
        /// The number of pushes in a thousand that reach the phone twice.
        package var duplicatedInAThousand = 0
        /// Until when the response to every push takes nine seconds, just before the client gives up, in microseconds
        /// since the run began.
        package var stalledUntil: Int64 = 0
        /// Whether no connection can be made.
        package var isDown = false
    }

    private struct Token {
        /// What shows the pushes: an activity, or the device itself.
        enum Owner: Equatable {
            case activity(ActivityReference)
            case device(DeviceReference, APNsPush.PushType)
        }

        let owner: Owner
        var invalidSince: Int64?
    }

    /// A push that starts an activity.
    package struct StartRecord: Sendable {
        let deviceID: DeviceID
        let adventureID: AdventureID
        /// When it was written, in microseconds since the run began.
        let writtenAt: Int64
    }

    /// The time for which the client waits for a response: the default of `APNsClient`.
    private static let requestTimeout = Duration.seconds(10)
    /// Half of nine seconds: the time of one way.
    private static let stalledLatency = Duration.milliseconds(4_500)

    private let world: SimulatedWorld
    private let defect: Defect?
    private var tokens: [String: Token] = [:]
    private var inFlight: [Int: CheckedContinuation<APNsOutcome, Never>] = [:]
    /// The pushes whose outcome the client never reports.
    private var forgotten: [CheckedContinuation<APNsOutcome, Never>] = []
    private var isClosed = false

    /// The current latencies and fault rates.
    package var conditions = Conditions()
    /// Every push that was written, in the order of writing.
    package private(set) var pushes: [PushRecord] = []
    /// The activities as the phones show them.
    package private(set) var activities: [ActivityReference: ShownActivity] = [:]
    /// The devices of push-to-start tokens, by token.
    private var startTokens: [String: DeviceID] = [:]
    /// Every start that was written, in the order of writing.
    package private(set) var starts: [StartRecord] = []
    /// The starts that have arrived, by device.
    package private(set) var arrivedStarts: [DeviceID: Set<AdventureID>] = [:]
    /// Called when a fault affects a push.
    package var onFault: () -> Void = {}
    /// Called before a node writes a push.
    var onSend: (_ host: SimulatedHost) -> Void = { _ in }
    /// Called when the response to a node is lost.
    var onLostResponse: (_ host: SimulatedHost) -> Void = { _ in }

    /// Creates an APNs without tokens.
    /// - Parameters:
    ///   - world: the world whose clock and randomness it uses.
    ///   - defect: the defect to inject into senders.
    package init(in world: SimulatedWorld, defect: Defect? = nil) {
        self.world = world
        self.defect = defect
    }

    /// Returns a client for the dispatcher of a host.
    func sender(from host: SimulatedHost) -> any PushSender {
        Sender(apns: WorldBound(self), host: host)
    }

    /// Gives an activity a new token and invalidates its earlier ones.
    package func issue(_ token: [UInt8], to activity: ActivityReference) {
        invalidateTokens(of: activity)
        tokens[DeviceToken(bytes: token)?.hex ?? ""] = Token(owner: .activity(activity))
        if activities[activity] == nil { activities[activity] = ShownActivity() }
    }

    /// Gives a device a push-to-start token.
    func issueStart(_ token: [UInt8], to deviceID: DeviceID) {
        startTokens[DeviceToken(bytes: token)?.hex ?? ""] = deviceID
    }

    /// Invalidates the tokens of an activity.
    package func invalidateTokens(of activity: ActivityReference) { invalidateTokens(of: .activity(activity)) }

    private func invalidateTokens(of owner: Token.Owner) {
        for (hex, token) in tokens where token.owner == owner && token.invalidSince == nil {
            tokens[hex]?.invalidSince = world.elapsed
        }
    }

    /// Gives a device a new token for pushes of a type, and invalidates its earlier ones.
    func issue(_ token: [UInt8], for type: APNsPush.PushType, to device: DeviceReference) {
        invalidateTokens(of: .device(device, type))
        tokens[DeviceToken(bytes: token)?.hex ?? ""] = Token(owner: .device(device, type))
    }

    /// Invalidates the tokens of a device for ordinary alerts and widgets.
    func invalidateTokens(of device: DeviceReference) {
        for type in [APNsPush.PushType.alert, .widgets] { invalidateTokens(of: .device(device, type)) }
    }

    /// Returns whether a token is valid: the newest of its activity.
    package func isValid(_ token: [UInt8]) -> Bool {
        DeviceToken(bytes: token).flatMap { tokens[$0.hex] }.map { $0.invalidSince == nil } ?? false
    }

    /// Fails the pushes in flight and all later ones.
    package func close() {
        isClosed = true
        for number in inFlight.keys.sorted() {
            inFlight.removeValue(forKey: number)?.resume(returning: .neverSent(.shuttingDown))
        }
        for sender in forgotten { sender.resume(returning: .neverSent(.shuttingDown)) }
        forgotten = []
    }
}

// MARK: - Pushes

extension SimulatedAPNs {
    private struct Sender: PushSender {
        let apns: WorldBound<SimulatedAPNs>
        let host: SimulatedHost
        var address: (host: String, port: Int) { ("apns.simulation", 443) }
        var keyChanges: Int { 0 }

        func send(_ push: APNsPush) async -> APNsOutcome {
            await apns.value.send(push, from: host)
        }

        func submit(
            _ pushes: [APNsPush],
            _ receive: @escaping @Sendable ([(index: Int, outcome: APNsOutcome)]) -> Void
        ) async {
            for (index, push) in pushes.enumerated() {
                // The task is part of the process, and ends with the outcome.
                Task(executorPreference: host) { receive([(index, await send(push))]) }
            }
        }
    }

    private func send(_ push: APNsPush, from host: SimulatedHost) async -> APNsOutcome {
        let deadline = world.uptime + Self.requestTimeout
        onSend(host)
        // `onSend` may have stopped the process, which then continues here.
        await Task.yield()
        if world.happens(inAThousand: conditions.queuedInAThousand) {
            // Cancellation ends the wait early, and the push is written early.
            try? await world.sleep(for: world.duration(500...6_000))
        }
        if isClosed { return .neverSent(.shuttingDown) }
        if let sendBy = push.sendBy, world.uptime >= sendBy, defect != .pushesSentLate { return .neverSent(.tooLate) }
        if conditions.isDown || world.happens(inAThousand: conditions.brokenInAThousand) {
            // Cancellation ends the wait early, and the push fails early.
            try? await world.sleep(for: world.duration(1...500))
            return .neverSent(.connection("no connection"))
        }
        if let deviceID = startTokens[push.deviceToken.hex] { return await start(push, on: deviceID) }
        let number = pushes.count
        pushes.append(record(push, from: host))
        world.log(pushes[number].description)
        return await withCheckedContinuation { continuation in
            inFlight[number] = continuation
            world.after(latency()) { self.arrive(push, number: number, from: host) }
            world.after(deadline - world.uptime) {
                guard let sender = self.inFlight.removeValue(forKey: number) else { return }
                self.onFault()
                sender.resume(returning: .unknown(.timedOut))
            }
        }
    }

    private func record(_ push: APNsPush, from host: SimulatedHost) -> PushRecord {
        var activity: ActivityReference?
        var device: DeviceReference?
        switch tokens[push.deviceToken.hex]?.owner {
        case .activity(let reference)? where push.pushType == .liveactivity: activity = reference
        case .device(let reference, push.pushType)?: device = reference
        default: break
        }
        return PushRecord(push, to: activity, on: device, from: host, at: world.elapsed)
    }

    /// A start arrives, or its response is lost; a phone that is off never gets it.
    private func start(_ push: APNsPush, on deviceID: DeviceID) async -> APNsOutcome {
        guard let adventureID = push.startedAdventure else { preconditionFailure("a start has no adventure") }
        starts.append(StartRecord(deviceID: deviceID, adventureID: adventureID, writtenAt: world.elapsed))
        world.log("start \(push.id) of \(adventureID) on \(deviceID)")
        // Cancellation ends the wait early.
        try? await world.sleep(for: latency())
        if isClosed { return .neverSent(.shuttingDown) }
        if world.happens(inAThousand: conditions.rejectedInAThousand) {
            return .rejected(APNsRejection(status: 503, reason: .serviceUnavailable))
        }
        arrivedStarts[deviceID, default: []].insert(adventureID)
        if world.happens(inAThousand: conditions.lostInAThousand) {
            onFault()
            return .unknown(.timedOut)
        }
        return .accepted(apnsID: push.id, uniqueID: nil)
    }

    private func latency() -> Duration {
        if world.elapsed < conditions.stalledUntil { return Self.stalledLatency }
        let isSlow = world.happens(inAThousand: conditions.slowInAThousand)
        return world.duration(isSlow ? 1_000...12_000 : conditions.latency)
    }

    private func arrive(_ push: APNsPush, number: Int, from host: SimulatedHost) {
        guard !isClosed else { return }
        let outcome = respond(to: push, number: number)
        pushes[number].arrivedAt = world.elapsed
        world.log("push \(push.id) is \(pushes[number].outcome)")
        if world.happens(inAThousand: conditions.lostInAThousand) {
            onFault()
            onLostResponse(host)
            return
        }
        if pushes[number].outcome == .accepted, world.happens(inAThousand: conditions.forgottenInAThousand),
            let sender = inFlight.removeValue(forKey: number)
        {
            world.log("the outcome of push \(push.id) is forgotten")
            forgotten.append(sender)
            return
        }
        world.after(latency()) {
            guard let sender = self.inFlight.removeValue(forKey: number) else { return }
            // A stopped process receives nothing.
            if !host.isStopped { self.pushes[number].responseReceivedAt = self.world.elapsed }
            sender.resume(returning: outcome)
        }
    }

    private func respond(to push: APNsPush, number: Int) -> APNsOutcome {
        guard let token = tokens[push.deviceToken.hex], token.invalidSince == nil else {
            pushes[number].outcome = .deadToken
            if defect == .deadTokensReportedAsTransient {
                return .rejected(APNsRejection(status: 503, reason: .serviceUnavailable))
            }
            let invalidSince = tokens[push.deviceToken.hex]?.invalidSince ?? 0
            if world.happens(inAThousand: 200) {
                pushes[number].outcome = .rejected
                return .rejected(APNsRejection(status: 400, reason: .badDeviceToken))
            }
            let since = (SimulatedWorld.startTime + .microseconds(invalidSince)).epochMilliseconds
            return .rejected(APNsRejection(status: 410, reason: .unregistered, tokenInvalidSinceMilliseconds: since))
        }
        if world.happens(inAThousand: conditions.rejectedInAThousand) {
            pushes[number].outcome = .rejected
            switch world.number(below: 3) {
            case 0: return .rejected(APNsRejection(status: 429, reason: .tooManyRequests, retryAfterSeconds: 2))
            case 1: return .rejected(APNsRejection(status: 503, reason: .serviceUnavailable))
            default: return .rejected(APNsRejection(status: 500, reason: .internalServerError))
            }
        }
        pushes[number].outcome = .accepted
        let record = pushes[number]
        guard case .activity(let activity) = token.owner else { return .accepted(apnsID: push.id, uniqueID: nil) }
        activities[activity]?.show(record)
        if world.happens(inAThousand: conditions.duplicatedInAThousand) {
            world.after(world.duration(10...5_000)) { self.activities[activity]?.show(record) }
        }
        return .accepted(apnsID: push.id, uniqueID: nil)
    }
}

extension APNsPush {
    private static let adventureMark = Array(#""adventureID":""#.utf8)

    /// The adventure in the attributes of a start.
    fileprivate var startedAdventure: AdventureID? {
        payload.firstIndex(of: Self.adventureMark).flatMap { start in
            let id = payload[(start + Self.adventureMark.count)...].prefix { $0 != UInt8(ascii: "\"") }
            return AdventureID(String(decoding: id, as: UTF8.self))
        }
    }
}

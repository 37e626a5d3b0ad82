import APNsClient
import Encodings
import Foundation
import GameCore
import GameLog
import GameStore
import LiveActivityContent
import Logging
import PushCadence
import PushDispatch
import PushRules
import RangersMetrics
import ServiceRuntime

/// Starts activities on devices by push, each at most once.
///
/// It runs beside the dispatcher's loop and needs no lease. Before a start is sent it is claimed in the device's row,
/// by compare-and-set against the record on which the decision was based; a node that loses the claim sends nothing. A
/// crash after the claim loses the start instead of sending it twice. A start that may have been sent is never
/// repeated, since the phone may show the activity. Database errors before the claim are retried until the request is
/// too old; see ``PushToStartPolicy/maxRequestAge``. If the result of a claim is unknown, the claim may already be in
/// the row; the retry then denies the start.
///
/// The device is read when the request is, and again with each failed claim, so a start reaches no device whose Live
/// Activities were off when it was claimed: a change of the row makes the claim fail.
struct ActivityStarter: Sendable {
    /// The maximum number of attempts to claim a start.
    private static let maxClaims = 5

    let store: GameStore
    let clients: [PushEnvironment: any PushSender]
    let breakers: CircuitBreakers
    let settings: DispatcherSettings
    let runtime: Runtime
    var metrics = DispatcherMetrics()
    /// The node's presence, which knows the database's clock; nil for the node's own clock.
    var presence: Presence?
    /// Called before a start is sent, which spends the budget of the device.
    var onStart: @Sendable (Device) async -> Void = { _ in }
    let logger: Logger

    private var now: Timestamp { presence?.now ?? runtime.now() }

    /// The activities that may be started in an adventure.
    struct Candidates: Sendable {
        let stored: StoredAdventure
        /// Whether the adventure is a fight in a raid, and a device asks for the raid's activity.
        let isRaidAwaited: Bool
        fileprivate let starts: [StartCandidate]
    }

    /// Starts the requested activities, and logs each start and each denial.
    /// - Returns: whether the request is to be repeated.
    @discardableResult
    func process(_ request: StartRequest) async -> Bool {
        guard let candidates = await read(request) else { return false }
        return await start(candidates)
    }

    /// Reads the adventure of a request, and the devices on which its activities may be started.
    /// - Returns: nil, with a log entry, if the adventure is over, could not be read, or the request is too old.
    func read(_ request: StartRequest) async -> Candidates? {
        do {
            return try await retrying(for: request) { try await candidates(for: request) }
        } catch let denial as StartDenial {
            log(denial, of: request.adventureID)
        } catch  where error.isCancellation {
            // The node stops; the request is repeated by the shard's next dispatcher, or expires.
        } catch {
            logger.error(
                "activities could not be started",
                metadata: metadata(of: request.adventureID, ["error": "\(error)"])
            )
        }
        return nil
    }

    /// Starts activities, and logs each start and each denial.
    /// - Returns: whether the request is to be repeated.
    @discardableResult
    func start(_ candidates: Candidates) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            for candidate in candidates.starts { group.addTask { await start(candidate) } }
            return await group.reduce(false) { $0 || $1 }
        }
    }

    /// Performs work that sends nothing, and retries it after database errors until the request is too old.
    /// - Throws: ``StartDenial``, also once the request is too old; `CancellationError` when the task is cancelled.
    private func retrying<Value>(for request: StartRequest, _ work: () async throws -> Value) async throws -> Value {
        var backoff = RetryBackoff()
        while true {
            guard isInTime(request) else { throw StartDenial.tooLate }
            do {
                return try await work()
            } catch let denial as StartDenial {
                throw denial
            } catch {
                logger.warning(
                    "the start of an activity is retried",
                    metadata: metadata(of: request.adventureID, ["error": "\(error)"])
                )
                try await runtime.sleep(backoff.wait(randomBits: runtime.randomBits()))
            }
        }
    }

    private func isInTime(_ request: StartRequest) -> Bool {
        now - request.requestedAt < request.maxAge(by: settings.policy.pushToStart)
    }

    /// An activity that may be started on a device, with its contents.
    fileprivate struct StartCandidate: Sendable {
        let request: StartRequest
        let device: Device
        let hasActivity: Bool
        let seat: Seat
        let stored: StoredAdventure
        let content: Content

        var subject: PushToStart.Subject {
            switch content {
            case .adventure: .adventure(stored.id, stored.partyID)
            case .raid(let raid, _): .raid(raid.id)
            }
        }
    }

    /// What the activities of a request show.
    fileprivate enum Content: Sendable {
        /// The party's adventure.
        case adventure(Party, headline: AdventureEvent)
        /// The raid in which the party fights, with the identifiers of its live channels.
        case raid(Raid, channels: [PushEnvironment: String])
    }

    /// Reads the candidates of a request; few queries are needed if no device has a push-to-start token.
    private func candidates(for request: StartRequest) async throws -> Candidates? {
        let shard = request.adventureID.shard
        var newest: AdventureEvent?
        let results = try await store.adventures([request.adventureID], of: shard) { _, event in
            if event.event.isHeadline { newest = event.event }
        }
        guard let stored = try results.first?.get() else { return nil }
        guard stored.endedAt == nil else {
            log(.adventureOver, of: request.adventureID)
            return nil
        }
        let players = stored.adventure.heroes.filter { !$0.hasLeft && request.includes($0.playerID) }.map(\.playerID)
        let devices = try await store.startableDevices(of: players).filter {
            request.includes($0) && clients[$0.environment] != nil
        }
        let headline = newest ?? stored.adventure.ownHeadline
        guard !devices.isEmpty, let content = try await content(of: request, showing: stored, headline) else {
            return Candidates(stored: stored, isRaidAwaited: false, starts: [])
        }
        let activities = try await store.activities(of: stored.id)
        let starts: [StartCandidate] = devices.compactMap { device in
            guard let seat = stored.adventure.heroes.firstIndex(where: { $0.playerID == device.playerID }) else {
                return nil
            }
            return StartCandidate(
                request: request,
                device: device,
                hasActivity: activities.contains { $0.isOn(device) && request.isMet(by: $0) },
                seat: Seat(rawValue: seat),
                stored: stored,
                content: content
            )
        }
        let isRaidAwaited = stored.adventure.raid != nil && devices.contains(where: \.followsRaids)
        return Candidates(stored: stored, isRaidAwaited: isRaidAwaited, starts: starts)
    }

    /// Returns what the activities of a request show; nil if the party or the raid is over.
    private func content(
        of request: StartRequest,
        showing stored: StoredAdventure,
        _ headline: AdventureEvent
    ) async throws -> Content? {
        switch request.occasion {
        case .adventureStarted, .activityEndsSoon:
            return try await store.party(stored.partyID).map { Content.adventure($0, headline: headline) }
        case .raidJoined:
            guard let id = stored.adventure.raid?.raidID, let raid = try await store.raid(id), raid.state == .running
            else { return nil }
            let channels = try await store.channels(of: BroadcastChannel.Owner(.raid, id.rawValue))
            let live = channels.filter { $0.state == .live }.compactMap { channel in
                channel.channelID.map { (channel.key.environment, $0) }
            }
            return .raid(raid, channels: Dictionary(live, uniquingKeysWith: { $1 }))
        }
    }

    /// - Returns: whether the request is to be repeated.
    private func start(_ candidate: StartCandidate) async -> Bool {
        let (adventureID, device) = (candidate.stored.id, candidate.device)
        do {
            guard !candidate.hasActivity else { throw StartDenial.hasActivity }
            guard let claim = try await retrying(for: candidate.request, { try await claim(candidate) }) else {
                return false
            }
            await onStart(claim.device)
            try await send(claim, for: candidate.request)
        } catch let denial as StartDenial {
            let isRepeated = candidate.request.isRepeated(after: denial)
            log(denial, of: adventureID, on: device, at: isRepeated ? .debug : .info)
            return isRepeated
        } catch  where error.isCancellation {
            // The node stops, as above.
        } catch {
            logger.error(
                "an activity could not be started",
                metadata: metadata(of: adventureID, on: device, ["error": "\(error)"])
            )
        }
        return false
    }

    /// Builds the push of a start and claims it; a start whose push cannot be built is not claimed.
    /// - Returns: nil if the device can no longer be started on, or this node does not send to its environment.
    /// - Throws: ``StartDenial`` if the start is denied; errors of the store.
    private func claim(_ candidate: StartCandidate) async throws -> ClaimedPush? {
        var device = candidate.device
        // The environment whose breaker has permitted the push: a newer row may have another.
        var permitted: PushEnvironment?
        for _ in 0..<Self.maxClaims {
            guard isInTime(candidate.request) else { throw StartDenial.tooLate }
            let now = now
            // A newer row may have a token of another environment.
            guard let token = device.pushToStartToken, let client = clients[device.environment],
                let push = try push(for: candidate, to: device, token, at: now)
            else { return nil }
            var starts = PushToStartBudget(policy: settings.policy.pushToStart, starts: device.starts)
            try await checkRoom(for: candidate, on: device)
            let isConfirmed = try await isConfirmed(starts.outstanding(at: now), on: device)
            let denial = starts.claim(candidate.subject, outstandingIsConfirmed: isConfirmed, at: now)
            if let denial { throw denial }
            // While the circuit breaker is open, one start is its probe, and the others are not claimed.
            if permitted != device.environment {
                guard breakers.tryAcquire(device.environment, for: .unknown, at: runtime.uptime()) else {
                    throw StartDenial.breakerOpen
                }
                permitted = device.environment
            }
            if try await store.claimStart(starts.starts, for: device) {
                return ClaimedPush(push: push, token: token, client: client, device: device)
            }
            let newer = try await store.startableDevices(of: [device.playerID]).first { $0.id == device.id }
            guard let newer else { return nil }
            device = newer
        }
        throw StartDenial.lostClaim
    }

    /// Checks that the device shows fewer live activities than iOS allows, and none of the adventure.
    ///
    /// The app may have registered one since the candidates were read.
    private func checkRoom(for candidate: StartCandidate, on device: Device) async throws {
        // A player may have left a party while the device still shows its adventure.
        let parties = try await store.partyIDs(of: device.playerID, leftAfter: now - CadencePolicy.maxLifetime * 2)
        let shards = Set(parties.map(\.shard)).union([candidate.stored.id.shard]).sorted()
        let live = try await store.liveActivities(of: device.playerID, in: shards).filter { $0.isOn(device) }
        let raids = try await runningRaids(startedOn: device)
        if live.count + raids >= Activity.maxLivePerDevice { throw StartDenial.deviceFull }
        if live.contains(where: { $0.adventureID == candidate.stored.id && candidate.request.isMet(by: $0) }) {
            throw StartDenial.hasActivity
        }
    }

    /// Returns the number of raids whose activities were started on a device and may still run: no app registers them.
    private func runningRaids(startedOn device: Device) async throws -> Int {
        var count = 0
        for start in device.starts where now - start.at < CadencePolicy.maxLifetime {
            guard let id = start.raidID, let raid = try await store.raid(id), raid.endedAt == nil else { continue }
            count += 1
        }
        return count
    }

    /// Returns whether the activity of a start has registered its token.
    private func isConfirmed(_ start: PushToStart?, on device: Device) async throws -> Bool {
        guard let start, let adventureID = start.adventureID else { return true }
        return try await store.activities(of: adventureID).contains {
            $0.isOn(device) && start.isConfirmed(byActivityRegisteredAt: $0.registeredAt)
        }
    }

    /// Sends a start, and retries it until the request is too old, if the push has certainly not been sent.
    private func send(_ claim: ClaimedPush, for request: StartRequest) async throws {
        let outcome = try await retrying(for: request) {
            let span = claim.push.startSpan(
                as: .start,
                to: claim.device.environment,
                of: request.adventureID,
                continuing: request.trace.map { [$0] } ?? []
            )
            let outcome = await claim.client.send(claim.push, within: settings.answerLimit, in: runtime)
            span.end(with: outcome)
            metrics.pushes.add(to: PushLabels(claim.push.priority, .start, outcome))
            if case .neverSent(let failure) = outcome { throw failure }
            return outcome
        }
        let isDead = claim.conclude(
            outcome,
            with: breakers,
            at: runtime.uptime(),
            logging: (request.startedMessage, "a start"),
            to: logger,
            metadata(of: request.adventureID, on: claim.device)
        )
        guard isDead else { return }
        try await store.removePushToStartToken(of: claim.device)
        metrics.forgottenTokens.add(to: .pushToStart)
    }

    /// Returns the push of a start; nil, with a log entry, if it cannot be built.
    /// - Throws: ``StartDenial/channelNotLive``.
    private func push(
        for candidate: StartCandidate,
        to device: Device,
        _ token: [UInt8],
        at now: Timestamp
    ) throws(StartDenial) -> APNsPush? {
        let about = metadata(of: candidate.stored.id, on: device)
        guard let token = DeviceToken(bytes: token) else {
            logger.error("a stored push-to-start token is empty or too long", metadata: about)
            return nil
        }
        let payload = try payload(for: candidate, on: device, at: now)
        do {
            return APNsPush(
                deviceToken: token,
                topic: settings.topic,
                priority: .high,
                expirationEpochSeconds: (now + settings.policy.pushToStart.expiration).epochSeconds,
                id: UUID(
                    named: Array(
                        "\(candidate.subject.text)/\(device.playerID)/\(device.id)/start/\(now.microseconds)".utf8
                    )
                ),
                payload: try payload.encoded()
            )
        } catch {
            logger.error("the push of a start cannot be built", metadata: about.merging(["error": "\(error)"]) { $1 })
            return nil
        }
    }

    private func payload(
        for candidate: StartCandidate,
        on device: Device,
        at now: Timestamp
    ) throws(StartDenial) -> LiveActivityPayload {
        let adventure = candidate.stored.adventure
        let attributes: LiveActivityPayload.Attributes
        let staleDate: Int64
        let relevanceScore: Double
        let contentState: [UInt8]
        switch candidate.content {
        case .adventure(let party, let headline):
            let hero = adventure.heroes[candidate.seat.rawValue]
            attributes = .adventure(
                AdventureAttributes(
                    of: candidate.stored.id,
                    partyName: party.name,
                    hero: hero,
                    playerNames: AdventureAttributes.playerNames(
                        of: adventure.heroes.map { ($0.playerID, $0.id) },
                        name: { id in party.members.first { $0.playerID == id }?.displayName }
                    )
                )
            )
            staleDate = settings.policy.staleDateOfStart(
                of: adventure.kind,
                frequentPushesEnabled: device.frequentPushesEnabled,
                at: now
            )
            relevanceScore = Relevance(of: adventure, for: candidate.seat).score
            let state = AdventureAttributes.ContentState(
                of: adventure,
                lastEvent: headline,
                turnEnds: candidate.stored.turnDueAt
            )
            contentState = EncodedContentState(state).bytes(currentHealthLevel: hero.shownHealthLevel)
        case .raid(let raid, let channels):
            guard let channelID = channels[device.environment] else { throw StartDenial.channelNotLive }
            attributes = .raid(
                RaidAttributes(raidID: "\(raid.id)", bossName: raid.boss.name, bossAvatar: raid.boss.avatar),
                channelID: channelID
            )
            staleDate = now.epochSeconds + ChannelBroadcaster.staleDelay
            relevanceScore = ChannelBroadcaster.relevanceScore
            contentState = ChannelContent(raid).contentState
        }
        return LiveActivityPayload(
            // One second back: the first update of the activity may be sent within this second, and needs a larger
            // timestamp.
            timestamp: now.epochSeconds - 1,
            event: .start(
                attributes: attributes,
                staleDate: staleDate,
                relevanceScore: relevanceScore,
                alert: candidate.request.alert(for: adventure, ringing: device.alertPreferences, at: now)
            ),
            contentState: contentState
        )
    }

    private func log(
        _ denial: StartDenial,
        of adventureID: AdventureID,
        on device: Device? = nil,
        at level: Logger.Level = .info
    ) {
        logger.log(
            level: level,
            "no activity was started",
            metadata: metadata(of: adventureID, on: device, ["reason": "\(denial)"])
        )
    }

    private func metadata(
        of adventureID: AdventureID,
        on device: Device? = nil,
        _ more: Logger.Metadata = [:]
    ) -> Logger.Metadata {
        var metadata = more
        metadata["adventure"] = "\(adventureID)"
        if let device {
            metadata["player"] = "\(device.playerID)"
            metadata["device"] = "\(device.id)"
        }
        return metadata
    }
}

extension Activity {
    fileprivate func isOn(_ device: Device) -> Bool { playerID == device.playerID && deviceID == device.id }
}

extension StartRequest {
    fileprivate var startedMessage: Logger.Message {
        switch occasion {
        case .adventureStarted, .activityEndsSoon: "started an activity"
        case .raidJoined: "started an activity of a raid"
        }
    }
}

extension PushToStart.Subject {
    /// The identifier of what the activity shows.
    fileprivate var text: String {
        switch self {
        case .adventure(let id, _): "\(id)"
        case .raid(let id): "\(id)"
        }
    }
}

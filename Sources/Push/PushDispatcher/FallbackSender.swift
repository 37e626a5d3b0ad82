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

/// Sends ordinary alerts to devices that do not show an adventure, each at most once.
///
/// It runs beside the dispatcher's loop, as ``ActivityStarter`` does, and claims each alert in the device's row before it
/// is sent, by compare-and-set. A crash after the claim loses the alert instead of sending it twice, and an alert that may
/// have been sent is never repeated.
struct FallbackSender: Sendable {
    /// The maximum number of attempts to claim an alert.
    private static let maxClaims = 5
    /// The time after a start by push in which the device gets no alert: the start has an alert of its own, and its activity
    /// registers soon.
    private static let startGrace = Duration.seconds(60)

    let store: GameStore
    let clients: [PushEnvironment: any PushSender]
    let breakers: CircuitBreakers
    let settings: DispatcherSettings
    let runtime: Runtime
    var metrics = DispatcherMetrics()
    /// The node's presence, which knows the database's clock; nil for the node's own clock.
    var presence: Presence?
    /// Called with an adventure of which a member has a device with an alert token.
    var onAlertDevices: @Sendable (AdventureID) async -> Void = { _ in }
    let logger: Logger

    private var now: Timestamp { presence?.now ?? runtime.now() }

    /// Has an adventure followed, with or without activities, if one of some players has a device with an alert token.
    /// - Returns: whether one has, as far as the database responds within a minute.
    @discardableResult
    func findDevices(of id: AdventureID, for players: [PlayerID]) async -> Bool {
        var isFound = false
        let start = now
        await reporting(id) {
            isFound = try await retrying(since: start) { try await !store.alertableDevices(of: players).isEmpty }
            guard isFound else { return }
            try await retrying(since: start) { try await store.markAlerts(of: id, at: now) }
            await onAlertDevices(id)
        }
        return isFound
    }

    /// Has an adventure that has started followed, if a member has a device with an alert token.
    /// - Returns: whether one has, as above.
    func findDevices(of stored: StoredAdventure) async -> Bool {
        await findDevices(of: stored.id, for: stored.adventure.heroes.filter { !$0.hasLeft }.map(\.playerID))
    }

    /// Alerts the members of an adventure that has started, after its activities were started.
    func alertStart(of stored: StoredAdventure) async {
        if let request = FallbackRequest(openingOf: stored, usefulFor: settings.policy.alertExpiry) {
            await process(request)
        }
    }

    /// Sends the alerts of a request, and logs each alert and each denial.
    func process(_ request: FallbackRequest) async {
        await reporting(request.adventureID) {
            let devices = try await retrying(since: request.at) {
                try await store.alertableDevices(of: request.alerts.map(\.playerID))
            }
            try await send(request, to: devices)
        }
    }

    private func send(_ request: FallbackRequest, to devices: [Device]) async throws {
        let shown = try await shownActivities(of: request, on: devices)
        await withDiscardingTaskGroup { group in
            for device in devices where clients[device.environment] != nil {
                guard let alert = request.alerts.first(where: { $0.playerID == device.playerID }) else { continue }
                let hasActivity =
                    request.isCovered(device)
                    || shown.contains { $0.playerID == device.playerID && $0.deviceID == device.id }
                group.addTask { await send(alert, of: request, to: device, hasActivity: hasActivity) }
            }
        }
    }

    /// Returns the activities of the adventure that have made alerts unnecessary, as far as the request does not know them.
    private func shownActivities(of request: FallbackRequest, on devices: [Device]) async throws -> [Activity] {
        guard request.isRepeated, !devices.isEmpty else { return [] }
        return try await retrying(since: request.at) {
            try await store.activities(of: request.adventureID).filter(\.coversDevice)
        }
    }

    private func send(
        _ alert: FallbackRequest.Alert,
        of request: FallbackRequest,
        to device: Device,
        hasActivity: Bool
    ) async {
        let about = metadata(of: request.adventureID, on: device, ["alert": "\(alert.alert.content.title.key)"])
        do {
            if hasActivity { throw FallbackDenial.hasActivity }
            guard let claim = try await claim(alert, of: request, on: device) else { return }
            try await send(claim, since: request.at, about)
        } catch let denial as FallbackDenial {
            metrics.fallbackAlerts.add(to: FallbackLabel(denial))
            // Most devices show the adventure.
            logger.log(
                level: denial == .hasActivity ? .debug : .info,
                "no alert was sent",
                metadata: about.merging(["reason": "\(denial)"]) { $1 }
            )
        } catch  where error.isCancellation {
            // The node stops.
        } catch {
            failed(request.adventureID, error)
        }
    }

    /// Claims an alert.
    ///
    /// If the result of a claim is unknown, it may be in the row already; the retry then denies the alert.
    /// - Returns: nil if the device has no token any more, or the push cannot be built.
    /// - Throws: ``FallbackDenial`` if the alert is denied; errors of the store.
    private func claim(
        _ alert: FallbackRequest.Alert,
        of request: FallbackRequest,
        on device: Device
    ) async throws -> ClaimedPush? {
        var device = device
        // The environment whose breaker has permitted the push: a newer row may have another.
        var permitted: PushEnvironment?
        for _ in 0..<Self.maxClaims {
            let now = now
            guard now - request.at < FallbackRequest.maxAge, now < alert.usefulUntil else {
                throw FallbackDenial.tooLate
            }
            guard let token = device.alertToken, let client = clients[device.environment] else { return nil }
            let isStarted = device.starts.contains {
                $0.adventureID == request.adventureID && now - $0.at < Self.startGrace
            }
            if isStarted { throw FallbackDenial.activityStarted }
            guard device.alertPreferences.rings(alert.alert.kind, at: now) else { throw FallbackDenial.muted }
            var budget = FallbackBudget(
                hourlyBudget: settings.policy.fallbackHourlyBudget,
                sent: device.sentAlerts
            )
            let denial = budget.claim(alert.sequence, of: request.adventureID, alert.alert.kind.weight, at: now)
            if let denial { throw denial }
            guard let push = push(alert, of: request, to: device, token) else { return nil }
            // While the circuit breaker is open, one push is its probe, and no other alert is claimed.
            if permitted != device.environment {
                guard breakers.tryAcquire(device.environment, for: .unknown, at: runtime.uptime()) else {
                    throw FallbackDenial.breakerOpen
                }
                permitted = device.environment
            }
            let (sent, known) = (budget.sent, device)
            let isClaimed = try await retrying(since: request.at) { try await store.claimAlert(sent, for: known) }
            if isClaimed { return ClaimedPush(push: push, token: token, client: client, device: device) }
            let devices = try await retrying(since: request.at) {
                try await store.alertableDevices(of: [known.playerID])
            }
            guard let newer = devices.first(where: { $0.id == known.id }) else { return nil }
            device = newer
        }
        throw FallbackDenial.lostClaim
    }

    /// Sends a push, and retries it until it is too late, if it has certainly not been sent.
    private func send(_ claim: ClaimedPush, since moment: Timestamp, _ about: Logger.Metadata) async throws {
        let outcome = try await retrying(since: moment) {
            let outcome = await claim.client.send(claim.push, within: settings.answerLimit, in: runtime)
            metrics.pushes.add(to: PushLabels(claim.push.priority, .fallback, outcome))
            if case .neverSent(let failure) = outcome { throw failure }
            return outcome
        }
        metrics.fallbackAlerts.add(to: .sent)
        let isDead = claim.conclude(
            outcome,
            with: breakers,
            at: runtime.uptime(),
            logging: ("sent an alert to a device without a Live Activity", "an alert"),
            to: logger,
            about
        )
        guard isDead else { return }
        try await store.removeAlertToken(claim.token, of: claim.device)
        metrics.forgottenTokens.add(to: .alert)
    }

    /// Returns the push of an alert; nil, with a log entry, if it cannot be built.
    private func push(
        _ alert: FallbackRequest.Alert,
        of request: FallbackRequest,
        to device: Device,
        _ token: [UInt8]
    ) -> APNsPush? {
        let about = metadata(of: request.adventureID, on: device)
        guard let deviceToken = DeviceToken(bytes: token) else {
            logger.error("a stored alert token is empty or too long", metadata: about)
            return nil
        }
        do {
            let name = "\(request.adventureID)/\(device.playerID)/\(device.id)/alert/\(alert.sequence)"
            return APNsPush(
                deviceToken: deviceToken,
                topic: settings.bundleID,
                pushType: .alert,
                priority: .high,
                expirationEpochSeconds: alert.usefulUntil.epochSeconds,
                id: UUID(named: Array(name.utf8)),
                collapseID: "\(request.adventureID)",
                payload: try alert.alert.notification(of: request.adventureID).encoded()
            )
        } catch {
            logger.error("an alert cannot be built", metadata: about.merging(["error": "\(error)"]) { $1 })
            return nil
        }
    }

    /// Performs work, and retries it after failures until the event is too old.
    /// - Throws: ``FallbackDenial/tooLate``; `CancellationError` when the task is cancelled.
    private func retrying<Value>(since moment: Timestamp, _ work: () async throws -> Value) async throws -> Value {
        var backoff = RetryBackoff()
        while true {
            guard now - moment < FallbackRequest.maxAge else { throw FallbackDenial.tooLate }
            do {
                return try await work()
            } catch {
                if error.isCancellation { throw error }
                logger.warning("an alert is retried", metadata: ["error": "\(error)"])
                try await runtime.sleep(backoff.wait(randomBits: runtime.randomBits()))
            }
        }
    }

    private func reporting(_ adventureID: AdventureID, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch let denial as FallbackDenial {
            metrics.fallbackAlerts.add(to: FallbackLabel(denial))
            logger.info("no alerts were sent", metadata: ["adventure": "\(adventureID)", "reason": "\(denial)"])
        } catch  where error.isCancellation {
            // The node stops.
        } catch {
            failed(adventureID, error)
        }
    }

    private func failed(_ adventureID: AdventureID, _ error: any Error) {
        metrics.fallbackAlerts.add(to: .failed)
        logger.error("alerts could not be sent", metadata: ["adventure": "\(adventureID)", "error": "\(error)"])
    }

    private func metadata(
        of adventureID: AdventureID,
        on device: Device,
        _ more: Logger.Metadata = [:]
    ) -> Logger.Metadata {
        more.merging(
            ["adventure": "\(adventureID)", "player": "\(device.playerID)", "device": "\(device.id)"]
        ) { $1 }
    }
}

public import GameCore
public import GameLog
import GameStore
import ServiceRuntime
import Synchronization

/// What an app says about the device that it runs on.
public struct DeviceRegistration: Hashable, Sendable {
    /// The device's identifier, chosen by the app.
    public let id: DeviceID
    /// The APNs environment of its tokens.
    public let environment: PushEnvironment
    /// The device's language (BCP 47), if the app sends it.
    public let locale: String?
    /// The build of the app, if it sends it.
    public let appBuild: String?
    /// ActivityKit's `areActivitiesEnabled`.
    public let liveActivitiesEnabled: Bool
    /// ActivityKit's `frequentPushesEnabled`.
    public let frequentPushesEnabled: Bool
    /// Whether activities of raids are started on the device.
    public let followsRaids: Bool
    /// The bytes of the push-to-start token; nil without one.
    public let pushToStartToken: [UInt8]?
    /// The bytes of the token for ordinary alerts; nil without one.
    public let alertToken: [UInt8]?
    /// The bytes of the token that reloads the app's widgets; nil without one.
    public let widgetToken: [UInt8]?
    /// Which alerts ring on the device.
    public let alertPreferences: AlertPreferences

    /// Creates a registration.
    public init(
        id: DeviceID,
        environment: PushEnvironment,
        locale: String?,
        appBuild: String?,
        liveActivitiesEnabled: Bool,
        frequentPushesEnabled: Bool,
        followsRaids: Bool = false,
        pushToStartToken: [UInt8]?,
        alertToken: [UInt8]?,
        widgetToken: [UInt8]? = nil,
        alertPreferences: AlertPreferences = AlertPreferences()
    ) {
        self.id = id
        self.environment = environment
        self.locale = locale
        self.appBuild = appBuild
        self.liveActivitiesEnabled = liveActivitiesEnabled
        self.frequentPushesEnabled = frequentPushesEnabled
        self.followsRaids = followsRaids
        self.pushToStartToken = pushToStartToken
        self.alertToken = alertToken
        self.widgetToken = widgetToken
        self.alertPreferences = alertPreferences
    }
}

extension GameCommands {
    /// The maximum number of devices of a player.
    public static let maxDevices = 10

    /// Registers a device of a player, or replaces what is known of it.
    ///
    /// Each token belongs to the device that registered it last: other devices lose it. A new device uses one of the
    /// quota of devices.
    /// - Parameters:
    ///   - registration: what the app says.
    ///   - playerID: the player.
    ///   - request: the idempotency key, if any.
    ///   - render: creates the response; `isNew` is false for a known device.
    /// - Returns: the response.
    /// - Throws: ``CommandError/tooManyDevices``, ``CommandError/quotaExceeded(_:)``, ``CommandError/unknownPlayer``; errors
    ///   of the store.
    public func register(
        _ registration: DeviceRegistration,
        of playerID: PlayerID,
        request: IdempotentRequest?,
        render: @Sendable (Device, _ isNew: Bool) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        let known = try await store.device(registration.id, of: playerID)
        let response: EncodedResponse
        if known == nil, quotas.limit(of: .device) != nil {
            response = try await withQuota(.device, of: playerID, in: playerID.shard, request: request) {
                let isFirst = Mutex(false)
                let response = try await store(registration, of: playerID, request: request) { device, isNew in
                    isFirst.withLock { $0 = isNew }
                    return try render(device, isNew)
                }
                return (response, isFirst.withLock { $0 })
            }
        } else {
            response = try await store(registration, of: playerID, request: request, render: render)
        }
        guard let device = try await store.device(registration.id, of: playerID) else { return response }
        // Also without a change: an earlier attempt may have failed here.
        if let token = device.pushToStartToken { try await store.resolveToken(token, .pushToStart, of: device) }
        if let token = device.alertToken { try await store.resolveToken(token, .alert, of: device) }
        if let token = device.widgetToken { try await store.resolveToken(token, .widgets, of: device) }
        try await shareAlertPreferences(of: device)
        if device.alertToken != nil { try await markAlerts(of: playerID) }
        return response
    }

    private func store(
        _ registration: DeviceRegistration,
        of playerID: PlayerID,
        request: IdempotentRequest?,
        render: @Sendable (Device, _ isNew: Bool) throws -> EncodedResponse
    ) async throws -> EncodedResponse {
        try await withIdempotency(request, of: playerID, in: playerID.shard) { transaction in
            let devices = try await transaction.devices(of: playerID)
            let known = devices.first { $0.id == registration.id }
            guard known != nil || devices.count < Self.maxDevices else { throw CommandError.tooManyDevices }
            var device = Device(
                id: registration.id,
                playerID: playerID,
                environment: registration.environment,
                locale: registration.locale,
                appBuild: registration.appBuild,
                liveActivitiesEnabled: registration.liveActivitiesEnabled,
                frequentPushesEnabled: registration.frequentPushesEnabled,
                followsRaids: registration.followsRaids,
                pushToStartToken: registration.pushToStartToken,
                alertToken: registration.alertToken,
                widgetToken: registration.widgetToken,
                alertPreferences: registration.alertPreferences,
                starts: known?.starts ?? [],
                sentAlerts: known?.sentAlerts ?? [],
                registeredAt: known?.registeredAt ?? transaction.now,
                updatedAt: known?.updatedAt ?? transaction.now,
                version: known?.version ?? 1
            )
            // As the row is after the store.
            if device != known || transaction.isOutdated(device) { device.updatedAt = transaction.now }
            transaction.store(device)
            return try render(device, known == nil)
        }
    }

    /// Marks the running adventures of a player as followed without activities: a device of the player has an alert token.
    ///
    /// Dispatchers read new marks once a minute, and mark adventures that start later, and those that the player joins
    /// later. Repeated registrations mark again: an earlier one may have failed before.
    private func markAlerts(of playerID: PlayerID) async throws {
        for partyID in try await store.partyIDs(of: playerID) {
            guard let id = try await store.party(partyID)?.adventureID else { continue }
            try await store.markAlerts(of: id, at: try await store.now())
        }
    }

    /// Copies a device's alert preferences to its live activities, whose dispatchers learn of the change from the log.
    ///
    /// Idempotent. Each shard has a separate transaction: if one fails, the app repeats the registration.
    func shareAlertPreferences(of device: Device) async throws {
        @Sendable func isOutdated(_ activity: Activity) -> Bool {
            activity.deviceID == device.id && activity.alertPreferences != device.alertPreferences
        }
        let live = try await liveActivities(of: device.playerID)
        for shard in Set(live.filter(isOutdated).map(\.adventureID.shard)).sorted() {
            try await store.withShard(shard) { transaction in
                for var activity in try await transaction.liveActivities(of: device.playerID)
                where isOutdated(activity) {
                    activity.alertPreferences = device.alertPreferences
                    transaction.register(activity)
                }
            }
            wakeSignal.notify()
        }
        // Another request may have changed them meanwhile.
        if let newest = try await store.device(device.id, of: device.playerID),
            newest.alertPreferences != device.alertPreferences
        {
            try await shareAlertPreferences(of: newest)
        }
    }

    /// Removes a device of a player, and releases its live activities.
    /// - Throws: ``CommandError/unknownDevice``; errors of the store.
    public func removeDevice(
        _ id: DeviceID,
        of playerID: PlayerID,
        request: IdempotentRequest?
    ) async throws -> EncodedResponse {
        if let response = try await storedResponse(to: request, of: playerID, in: playerID.shard) {
            try await releaseActivities(ofRemovedDevice: id, of: playerID)
            return response
        }
        // Before the removal, so that a failure leaves a device whose removal can be repeated.
        let live = try await liveActivities(of: playerID)
        _ = try await release(live, of: playerID) { $0.deviceID == id }
        let response = try await withIdempotency(request, of: playerID, in: playerID.shard) { transaction in
            guard try await transaction.devices(of: playerID).contains(where: { $0.id == id }) else {
                throw CommandError.unknownDevice
            }
            transaction.removeDevice(id, of: playerID)
            return EncodedResponse(status: 204, body: "")
        }
        // Those registered meanwhile: a registration that is stored after this finds no device, and releases its activity.
        try await releaseActivities(ofRemovedDevice: id, of: playerID)
        return response
    }

    /// Releases the live activities of a device that was removed, unless it is registered again.
    func releaseActivities(ofRemovedDevice id: DeviceID, of playerID: PlayerID) async throws {
        guard try await store.device(id, of: playerID) == nil else { return }
        let live = try await liveActivities(of: playerID)
        _ = try await release(live, of: playerID) { $0.deviceID == id }
    }
}

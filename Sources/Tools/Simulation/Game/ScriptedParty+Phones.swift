import APNsClient
import Encodings
import Foundation
import GameCore
import GameEngine
import GameLog
import GameStore

/// The phones and other devices of a party's players.
extension ScriptedParty {
    /// Returns a new device of a player; nil if it could not be registered.
    func addDevice(of player: PlayerID) async -> Phone? {
        let showsActivities = world.number(below: 5) > 0
        let phone = Phone(
            player: player,
            device: DeviceID(rawValue: UUID(bytes: bytes(16))),
            frequentPushesEnabled: world.number(below: 2) == 0,
            showsActivities: showsActivities,
            takesAlerts: world.number(below: showsActivities ? 3 : 2) == 0,
            hasWidgets: world.number(below: 3) == 0,
            startToken: showsActivities && world.number(below: 4) == 0 ? bytes(32) : nil
        )
        renewTokens(of: phone)
        if let token = phone.startToken { apns.issueStart(token, to: phone.device) }
        alertPreferences[phone.device] = AlertPreferences(drawnBy: world)
        while !isOver {
            if await register(phone) { return phone }
            await pause(100...1_000)
        }
        return nil
    }

    /// Registers a device, or what has changed about it.
    /// - Returns: whether the service has registered it.
    func register(_ phone: Phone) async -> Bool {
        let registration = DeviceRegistration(
            id: phone.device,
            environment: .simulator,
            locale: nil,
            appBuild: nil,
            liveActivitiesEnabled: phone.showsActivities && !(areActivitiesOff[phone.device] ?? false),
            frequentPushesEnabled: phone.frequentPushesEnabled,
            pushToStartToken: phone.startToken,
            alertToken: deviceTokens[phone.device]?.alert,
            widgetToken: deviceTokens[phone.device]?.widget,
            alertPreferences: alertPreferences[phone.device] ?? AlertPreferences()
        )
        let response = await client.send { commands in
            try await commands.register(registration, of: phone.player, request: nil) { _, _ in Self.done }
        }
        return value(response) != nil
    }

    /// Gives a device new tokens for ordinary alerts and widgets, which make its earlier ones invalid.
    private func renewTokens(of phone: Phone) {
        let tokens = (alert: phone.takesAlerts ? bytes(32) : nil, widget: phone.hasWidgets ? bytes(32) : nil)
        if let token = tokens.alert { apns.issue(token, for: .alert, to: phone.reference) }
        if let token = tokens.widget { apns.issue(token, for: .widgets, to: phone.reference) }
        deviceTokens[phone.device] = tokens
    }

    /// Turns Live Activities on or off, or gives the device new tokens, as after a new installation of the app.
    func change(_ phone: Phone) async {
        if phone.startToken != nil {
            areActivitiesOff[phone.device] = !(areActivitiesOff[phone.device] ?? false)
        } else if phone.takesAlerts || phone.hasWidgets {
            renewTokens(of: phone)
        } else {
            return
        }
        _ = await register(phone)
    }

    /// Waits until the system has started a Live Activity by push, and shows it; a device starts none if they are off.
    func awaitStart(of id: AdventureID, on phone: Phone) async {
        for _ in 0..<15 where !isOver {
            await pause(200...1_500)
            guard apns.arrivedStarts[phone.device]?.contains(id) ?? false else { continue }
            if areActivitiesOff[phone.device] ?? false { return }
            return await showActivity(of: id, on: phone)
        }
    }

    /// Shows a Live Activity: registers it early or late, occasionally rotates its token, and sometimes dismisses it.
    func showActivity(of id: AdventureID, on phone: Phone) async {
        await pause(0...6_000)
        let activity = ActivityReference(adventureID: id, activityID: ActivityID(rawValue: UUID(bytes: bytes(16))))
        // A few are scheduled, by the clock of the server.
        var startsAt: Timestamp?
        if world.number(below: 10) == 0, let now = await client.read({ try await $0.now() }) {
            startsAt = now + world.duration(1_000...6_000)
        }
        activities[activity] = ActivityRecord(
            playerID: phone.player,
            deviceID: phone.device,
            startsAt: startsAt,
            frequentPushesEnabled: phone.frequentPushesEnabled
        )
        guard await registerToken(of: activity, on: phone) else { return }
        while !isOver {
            await pause(2_000...20_000)
            switch world.number(below: 12) {
            case 0:
                await dismiss(activity, on: phone)
                return
            case 1:
                // The player deletes the app: its tokens become invalid, and the service is not notified.
                activities[activity]?.isAbandoned = true
                apns.invalidateTokens(of: activity)
                apns.invalidateTokens(of: phone.reference)
                return
            case 2...4:
                await pause(0...3_000)
                _ = await registerToken(of: activity, on: phone)
            case 5:
                alertPreferences[phone.device] = AlertPreferences(drawnBy: world)
                _ = await register(phone)
            default:
                if apns.activities[activity]?.hasEnded ?? true { return }
            }
        }
    }

    private func registerToken(of activity: ActivityReference, on phone: Phone) async -> Bool {
        let token = bytes(32)
        apns.issue(token, to: activity)
        activities[activity]?.tokenChanges.append((from: world.elapsed, until: nil))
        await pause(0...2_000)
        let registration = registration(of: activity.activityID, with: token, on: phone, activities[activity]?.startsAt)
        let response = await client.send { commands in
            try await commands.register(registration, for: activity.adventureID, by: phone.player, request: nil) {
                EncodedResponse(status: $1 ? 201 : 200, body: "\($0.generation)")
            }
        }
        let index = (activities[activity]?.tokenChanges.count ?? 1) - 1
        guard case .success? = response else {
            activities[activity]?.isAbandoned = true
            return false
        }
        activities[activity]?.tokenChanges[index].until = world.elapsed
        return true
    }

    func registration(
        of id: ActivityID,
        with token: [UInt8],
        on phone: Phone,
        _ startsAt: Timestamp? = nil
    ) -> ActivityRegistration {
        ActivityRegistration(
            id: id,
            deviceID: phone.device,
            pushToken: token,
            environment: .simulator,
            frequentPushesEnabled: phone.frequentPushesEnabled,
            locale: nil,
            startsAt: startsAt
        )
    }

    private func dismiss(_ activity: ActivityReference, on phone: Phone) async {
        activities[activity]?.isAbandoned = true
        if world.number(below: 2) == 0 { apns.invalidateTokens(of: activity) }
        await pause(0...3_000)
        let request = self.request("release")
        _ = await client.send { commands in
            try await commands.release(
                activity.activityID,
                of: activity.adventureID,
                by: phone.player,
                request: request
            )
        }
    }
}

extension ScriptedParty.Phone {
    fileprivate var reference: DeviceReference { DeviceReference(playerID: player, deviceID: device) }
}

extension AlertPreferences {
    /// Draws what a player mutes: mostly nothing, otherwise bosses, own turns, or everything in quiet hours.
    ///
    /// Quiet hours begin or end 40 seconds after the beginning of the run, at 14:13 UTC.
    fileprivate init(drawnBy world: SimulatedWorld) {
        self.init()
        switch world.number(below: 10) {
        case 0: muted = [.boss]
        case 1: muted = [.ownTurn]
        case 2: quietHours = QuietHours(from: 18 * 60, to: 19 * 60 + 44, timeZone: "Asia/Kolkata")
        case 3: quietHours = QuietHours(from: 16 * 60 + 14, to: 16 * 60 + 16, timeZone: "Europe/Berlin")
        default: break
        }
    }
}

import Encodings
import GameCore
import GameEngine
import GameLog
import GameStore

/// What ordinary alerts and pushes to widgets need.
extension Work {
    func alerts(in party: PartyID, _ players: [PlayerID]) async throws {
        let fight = try await commands.startBossFight(of: party, against: BossCatalogue.all[0].id, by: author)
        let start = try await store.now()
        func marked() async throws -> [[AdventureID]] {
            let shard = party.shard
            return [
                try await store.markedAdventures(of: shard, endedAfter: start),
                try await store.liveAdventures(of: [shard], markedAfter: start),
            ]
        }
        observe("marked", try await marked())
        for (index, player) in players.enumerated() {
            advanceClock(bySeconds: 1)
            _ = try await commands.register(
                DeviceRegistration(
                    id: DeviceID(rawValue: player.rawValue),
                    environment: .simulator,
                    locale: nil,
                    appBuild: nil,
                    liveActivitiesEnabled: false,
                    frequentPushesEnabled: false,
                    pushToStartToken: nil,
                    alertToken: [20 + UInt8(index)],
                    widgetToken: [30 + UInt8(index)],
                    alertPreferences: AlertPreferences()
                ),
                of: player,
                request: nil
            ) { _, _ in EncodedResponse(status: 200, body: "") }
        }
        observe("marked by registrations", try await marked())
        func devices() async throws -> [String] {
            try await store.alertableDevices(of: players).map {
                "\($0.playerID) \($0.alertToken ?? []) \($0.version) \($0.sentAlerts)"
            }
        }
        observe("alertable", try await devices())
        guard let device = try await store.alertableDevices(of: players).first, let token = device.alertToken else {
            return
        }
        let alerts = (2...3).map { SentAlert(adventureID: fight.id, sequence: $0, at: start) }
        observe("claimed", try await store.claimAlert(alerts, for: device))
        observe("claimed on an old version", try await store.claimAlert([], for: device))
        observe("claimed once", try await devices())
        try await store.removeAlertToken([1], of: device)
        observe("another token removed", try await devices())
        try await store.removeAlertToken(token, of: device)
        observe("token removed", try await devices())
        _ = try await commands.end(fight.id, by: author)
        observe("marked after the end", try await marked())
        observe("marked long after the end", try await store.markedAdventures(of: party.shard, endedAfter: .distant))
    }

    func widgets() async throws {
        let now = try await store.now()
        let next = now + .seconds(900)
        func due(_ moment: Timestamp) async throws -> [Shard] {
            try await store.shardsWithDueWidgets(in: .simulator, at: moment)
        }
        let shards = try await due(now)
        observe("due", shards)
        observe("not yet due", try await due(now - .seconds(3_600)))
        observe("due elsewhere", try await store.shardsWithDueWidgets(in: .production, at: now))
        func claim(_ moment: Timestamp) async throws -> [WidgetPush] {
            var claimed: [WidgetPush] = []
            for shard in shards {
                claimed += try await store.claimWidgetPushes(in: shard, .simulator, at: moment, next: next, limit: 1)
            }
            return claimed
        }
        let claimed = try await claim(now)
        observe("claimed", claimed)
        observe("claimed again", try await claim(now))
        for push in claimed { try await store.repeatWidgetPush(push) }
        observe("repeated, and not yet due", try await due(now))
        observe("repeated", try await due(next))
        for push in claimed.prefix(1) { try await store.removeWidgetToken(of: push) }
        observe("without a token", try await due(next))
        for push in claimed.prefix(1) { try await store.repeatWidgetPush(push) }
        observe("not repeated without the token", try await due(next))
        observe("claimed after the repeat", try await claim(next))
    }
}

extension Timestamp {
    fileprivate static let distant = Timestamp(epochSeconds: 4_000_000_000)
}

import Encodings
import Foundation
import PostgresClient

// MARK: - Devices

extension MemoryStatement {
    static func device(
        _ name: String,
        _ query: PostgresQuery,
        _ tables: MemoryTables,
        _ defect: Defect?
    ) -> Result {
        switch name {
        case "device.ofPlayer":
            let (_, player) = query.parameters(Int16.self, UUID.self)
            return rows(tables) { key, _ in key.player == player }
        case "device.startable":
            let (shards, players) = query.parameters([Int16].self, [UUID].self)
            return rows(tables) { key, row in
                shards.contains(key.player.shard) && players.contains(key.player)
                    && row.pushToStartToken != nil && row.isEnabled
            }
        case "device.alertable":
            let (shards, players) = query.parameters([Int16].self, [UUID].self)
            return rows(tables) { key, row in
                shards.contains(key.player.shard) && players.contains(key.player) && row.alertToken != nil
            }
        case "device.claimAlert":
            return claimAlert(query, tables, defect)
        case "device.upsert":
            return upsertDevice(query)
        case "device.delete":
            let (_, player, device) = query.parameters(Int16.self, UUID.self, UUID.self)
            return .change { $0.devices[MemoryTables.DeviceKey(player: player, device: device)] = nil }
        case "device.withPushToStartToken", "device.withAlertToken", "device.withWidgetToken":
            let (shards, token, environment) = query.parameters([Int16].self, [UInt8].self, String.self)
            let path = tokenPath(name)
            return .rows(
                tables.devices.filter { key, row in
                    shards.contains(key.player.shard) && row[keyPath: path] == token && row.environment == environment
                }.sorted {
                    ($1.value.updatedAt, $0.key.player, $0.key.device) < (
                        $0.value.updatedAt, $1.key.player, $1.key.device
                    )
                }.map { PostgresRowDraft($0.key.player, $0.key.device, PostgresTimestamp($0.value.updatedAt)) }
            )
        case "device.clearPushToStartToken", "device.clearAlertToken", "device.clearWidgetToken":
            let (_, player, device, token, environment) = query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                [UInt8].self,
                String.self
            )
            let (key, path) = (MemoryTables.DeviceKey(player: player, device: device), tokenPath(name))
            guard let row = tables.devices[key], row[keyPath: path] == token, row.environment == environment else {
                return Result(affectedRows: 0)
            }
            let isOfWidgets = path == \.widgetToken
            return .change { tables in
                if path != \.pushToStartToken {
                    tables.noteForgotten(token, isOfWidgets: isOfWidgets, of: key)
                }
                tables.devices[key]?[keyPath: path] = nil
                tables.devices[key]?.version += 1
                if isOfWidgets { tables.devices[key]?.widgetDueAt = nil }
            }
        case "device.claimStart":
            let (_, player, device, version, moments, adventures, parties) = query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                Int64.self,
                [PostgresTimestamp].self,
                [UUID].self,
                [UUID].self
            )
            let key = MemoryTables.DeviceKey(player: player, device: device)
            guard tables.devices[key]?.version == version else { return Result(affectedRows: 0) }
            return .change { tables in
                if !(tables.devices[key]?.isEnabled ?? false) {
                    tables.violations.append("a start was claimed on device \(device) without Live Activities")
                }
                tables.devices[key]?.version += 1
                tables.devices[key]?.startedAt = moments.map(\.microseconds)
                tables.devices[key]?.startedAdventures = adventures
                tables.devices[key]?.startedParties = parties
            }
        default:
            unknown(name)
        }
    }

    private static func tokenPath(_ name: String) -> WritableKeyPath<MemoryTables.DeviceRow, [UInt8]?> {
        if name.hasSuffix("AlertToken") { return \.alertToken }
        return name.hasSuffix("WidgetToken") ? \.widgetToken : \.pushToStartToken
    }

    private static func upsertDevice(_ query: PostgresQuery) -> Result {
        let (
            _, player, device, environment, locale, appBuild, isEnabled, isFrequent, startToken, alertToken, now,
            oldest,
            alertPreferences, widgetToken, followsRaids
        ) =
            query.parameters(
                Int16.self,
                UUID.self,
                UUID.self,
                String.self,
                String?.self,
                String?.self,
                Bool.self,
                Bool.self,
                [UInt8]?.self,
                [UInt8]?.self,
                PostgresTimestamp.self,
                PostgresTimestamp.self,
                String?.self,
                [UInt8]?.self,
                Bool.self
            )
        return .change { tables in
            let key = MemoryTables.DeviceKey(player: player, device: device)
            let known = tables.devices[key]
            if let known, known.updatedAt >= oldest.microseconds, known.environment == environment,
                known.locale == locale, known.appBuild == appBuild, known.isEnabled == isEnabled,
                known.isFrequent == isFrequent, known.pushToStartToken == startToken, known.alertToken == alertToken,
                known.alertPreferences == alertPreferences, known.widgetToken == widgetToken,
                known.followsRaids == followsRaids
            {
                return
            }
            let row = MemoryTables.DeviceRow(
                environment: environment,
                locale: locale,
                appBuild: appBuild,
                isEnabled: isEnabled,
                isFrequent: isFrequent,
                followsRaids: followsRaids,
                pushToStartToken: startToken,
                alertToken: alertToken,
                widgetToken: widgetToken,
                alertPreferences: alertPreferences,
                version: (known?.version ?? 0) + 1,
                startedAt: known?.startedAt ?? [],
                startedAdventures: known?.startedAdventures ?? [],
                startedParties: known?.startedParties ?? [],
                alertedAt: known?.alertedAt ?? [],
                alertedAdventures: known?.alertedAdventures ?? [],
                alertedSequences: known?.alertedSequences ?? [],
                widgetDueAt: widgetToken == nil ? nil : known?.widgetDueAt,
                widgetFreeAt: known?.widgetFreeAt,
                registeredAt: known?.registeredAt ?? now.microseconds,
                updatedAt: now.microseconds
            )
            tables.devices[key] = row
            tables.noteRegistration(of: key, row)
        }
    }

    private static func claimAlert(_ query: PostgresQuery, _ tables: MemoryTables, _ defect: Defect?) -> Result {
        let (_, player, device, version, moments, adventures, sequences) = query.parameters(
            Int16.self,
            UUID.self,
            UUID.self,
            Int64.self,
            [PostgresTimestamp].self,
            [UUID].self,
            [Int64].self
        )
        let key = MemoryTables.DeviceKey(player: player, device: device)
        guard tables.devices[key]?.version == version else { return Result(affectedRows: 0) }
        return .change { tables in
            if let moment = moments.last, let adventure = adventures.last, let sequence = sequences.last {
                tables.noteAlertClaim(at: moment.microseconds, of: adventure, sequence, on: key)
            }
            tables.devices[key]?.version += 1
            if defect == .alertClaimsLost { return }
            tables.devices[key]?.alertedAt = moments.map(\.microseconds)
            tables.devices[key]?.alertedAdventures = adventures
            tables.devices[key]?.alertedSequences = sequences
        }
    }

    private static func sorted(
        _ tables: MemoryTables,
        where isIncluded: (MemoryTables.DeviceKey, MemoryTables.DeviceRow) -> Bool
    ) -> [(key: MemoryTables.DeviceKey, value: MemoryTables.DeviceRow)] {
        tables.devices.filter { isIncluded($0.key, $0.value) }.sorted {
            ($0.key.player, $0.value.registeredAt, $0.key.device) < (
                $1.key.player, $1.value.registeredAt, $1.key.device
            )
        }
    }

    private static func rows(
        _ tables: MemoryTables,
        where isIncluded: (MemoryTables.DeviceKey, MemoryTables.DeviceRow) -> Bool
    ) -> Result {
        .rows(
            sorted(tables, where: isIncluded).map { key, row in
                PostgresRowDraft(
                    key.player,
                    key.device,
                    row.environment,
                    row.locale,
                    row.appBuild,
                    row.isEnabled,
                    row.isFrequent,
                    row.pushToStartToken,
                    row.alertToken,
                    row.version,
                    row.startedAt.map(PostgresTimestamp.init(microseconds:)),
                    row.startedAdventures,
                    row.startedParties,
                    PostgresTimestamp(row.registeredAt),
                    PostgresTimestamp(row.updatedAt),
                    row.alertPreferences,
                    row.widgetToken,
                    row.alertedAt.map(PostgresTimestamp.init(microseconds:)),
                    row.alertedAdventures,
                    row.alertedSequences,
                    row.followsRaids
                )
            }
        )
    }
}

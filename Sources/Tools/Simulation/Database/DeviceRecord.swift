import Foundation

extension MemoryTables {
    /// What the service had the database store about a device, in commit order, for ordinary alerts and widgets: later
    /// senders must respect it, even if a defect stored something else.
    ///
    /// Commit times are microseconds since the run began, other times microseconds since 1970.
    struct DeviceRecord: Sendable {
        struct AlertClaim: Sendable {
            let committedAt: Int64
            /// The time of the claim, by its sender's view of the database's clock.
            let at: Int64
            let adventure: UUID
            let sequence: Int64
            /// The alert preferences of the row then.
            let preferences: String?
            /// Whether the token of the row had been forgotten as dead.
            let isTokenForgotten: Bool
        }

        struct WidgetClaim: Sendable {
            let committedAt: Int64
            /// The time of the claim, by its sender's view of the database's clock.
            let at: Int64
            /// The earliest time of the next push.
            let next: Int64
            let token: [UInt8]?
            /// Whether the token of the row had been forgotten as dead.
            let isTokenForgotten: Bool
        }

        /// What the app said about the device.
        struct Registration: Sendable {
            let committedAt: Int64
            let hasAlertToken: Bool
            let preferences: String?
        }

        var registrations: [Registration] = []
        var alertClaims: [AlertClaim] = []
        /// The commit times of changes that the widgets are to show.
        var widgetMarks: [Int64] = []
        var widgetClaims: [WidgetClaim] = []
        /// The commit times at which a token was forgotten as dead, by whether it was that of the widgets.
        var forgottenAt: [(committedAt: Int64, isOfWidgets: Bool)] = []
        /// The tokens that were forgotten as dead, and have not been registered again.
        var forgottenTokens: Set<[UInt8]> = []

        func isForgotten(_ token: [UInt8]?) -> Bool { token.map(forgottenTokens.contains) ?? false }
    }
}

extension MemoryTables {
    /// Whether widgets are to be reloaded whose token is valid.
    func hasDueWidgets(where isValid: ([UInt8]) -> Bool) -> Bool {
        devices.values.contains { $0.widgetDueAt != nil && $0.widgetToken.map(isValid) ?? false }
    }

    /// Notes the registration of a device.
    mutating func noteRegistration(of key: DeviceKey, _ row: DeviceRow) {
        var record = deviceRecords[key] ?? DeviceRecord()
        record.registrations.append(
            DeviceRecord.Registration(
                committedAt: commitTime,
                hasAlertToken: row.alertToken != nil,
                preferences: row.alertPreferences
            )
        )
        for token in [row.alertToken, row.widgetToken].compactMap({ $0 }) { record.forgottenTokens.remove(token) }
        deviceRecords[key] = record
    }

    /// Notes that a token of a device is forgotten.
    mutating func noteForgotten(_ token: [UInt8], isOfWidgets: Bool, of key: DeviceKey) {
        deviceRecords[key]?.forgottenTokens.insert(token)
        deviceRecords[key]?.forgottenAt.append((commitTime, isOfWidgets))
    }

    /// Notes the claim of an ordinary alert.
    mutating func noteAlertClaim(at moment: Int64, of adventure: UUID, _ sequence: Int64, on key: DeviceKey) {
        guard let row = devices[key], let record = deviceRecords[key] else { return }
        deviceRecords[key]?.alertClaims.append(
            DeviceRecord.AlertClaim(
                committedAt: commitTime,
                at: moment,
                adventure: adventure,
                sequence: sequence,
                preferences: row.alertPreferences,
                isTokenForgotten: record.isForgotten(row.alertToken)
            )
        )
    }

    /// Notes the claim of a push to widgets.
    mutating func noteWidgetClaim(at moment: Int64, next: Int64, on key: DeviceKey) {
        guard let row = devices[key], let record = deviceRecords[key] else { return }
        deviceRecords[key]?.widgetClaims.append(
            DeviceRecord.WidgetClaim(
                committedAt: commitTime,
                at: moment,
                next: next,
                token: row.widgetToken,
                isTokenForgotten: record.isForgotten(row.widgetToken)
            )
        )
    }
}

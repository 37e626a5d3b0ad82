import Foundation
import GameCore

/// The committed rows of the tables of broadcast channels.
///
/// Times are microseconds since 1970.
struct ChannelTables: Sendable {
    struct Key: Hashable, Sendable {
        let kind: String
        let owner: UUID
        let environment: String
    }

    struct ChannelRow: Sendable {
        var storagePolicy: Int16
        var state = "wanted"
        var channelID: String?
        var wantedAt: Int64
        var createdAt: Int64?
        var usedAt: Int64
        var attemptedAt: Int64?
        var attempts: Int32 = 0
        var retryAt: Int64
        var version: Int64 = 0
        var stage: Int32 = 0
        var broadcastFailures: Int32 = 0
        var broadcastAfter: Int64
    }

    struct KeeperRow: Sendable {
        var holder: UUID?
        var heldUntil = Int64.min
        var requestedAt: Int64?
        var reconciledAt: Int64?
        var listed: Int32?
        var unknown: Int32?
        var lost: Int32?
    }

    var channels: [Key: ChannelRow] = [:]
    var keepers = Dictionary(uniqueKeysWithValues: PushEnvironment.allCases.map { ($0.rawValue, KeeperRow()) })

    /// The channels of an environment that are not deleted, in the order of a list.
    func list(in environment: String) -> [(key: Key, value: ChannelRow)] {
        channels.filter { $0.key.environment == environment && $0.value.state != "deleted" }
            .sorted { ($0.value.wantedAt, $0.key.owner) < ($1.value.wantedAt, $1.key.owner) }
    }
}

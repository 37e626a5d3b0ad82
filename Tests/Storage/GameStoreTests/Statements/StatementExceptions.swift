/// The statements that do not name one shard, each with the reason.
enum StatementExceptions {
    struct Exception {
        let reach: DistributionRules.Reach
        /// The tables that the plan may scan completely.
        var scans: Set<String> = []
        let reason: String
    }

    private static let engine = "the engine polls all shards: one row each, without locks"
    private static let dispatcher = "a dispatcher reads all its shards in one query, with independent rows"
    private static let retentionWorker =
        "the retention worker looks for expired data in the background, in pages, without locks"
    private static let erasures = "a player's erasure looks for the shards that have something to erase, once"
    private static let leaderboards = "a leaderboard compares the players of all shards: some rows of an index"
    private static let exports = "a player's export, a page at a time"
    private static let channels =
        "one dispatcher for each environment reads its channels in the background, from an index, without locks"
    private static let raids =
        "the home of a raid reads its members, or the raids that there are: a few rows of an index"
    private static let operators = "an operator's rare request"

    static let all: [String: Exception] = [
        "shard.due": Exception(reach: .all, scans: ["shards"], reason: engine),
        "shard.dueAmong": Exception(reach: .several, scans: ["shards"], reason: engine),
        "shard.heads": Exception(reach: .several, reason: dispatcher),
        "shard.moved": Exception(reach: .several, reason: dispatcher),
        "lease.free": Exception(reach: .several, scans: ["leases"], reason: dispatcher),
        "party.currentMembers": Exception(
            reach: .several,
            reason: "checks in one query whether a node's event subscribers are still members"
        ),
        "partyList.read": Exception(reach: .several, reason: operators),
        "partyList.members": Exception(reach: .several, reason: operators),
        "partyList.scan": Exception(reach: .all, reason: operators),
        "playerList.named": Exception(reach: .all, reason: operators),
        "playerList.withDevice": Exception(reach: .all, reason: operators),
        "playerList.read": Exception(reach: .several, reason: operators),
        "activity.named": Exception(reach: .all, reason: operators),
        "activity.liveOfPlayerInShards": Exception(
            reach: .several,
            reason: "an app that starts tells once which activities it shows"
        ),
        "activity.newestOfPlayer": Exception(reach: .several, reason: operators),
        "profile.pending": Exception(
            reach: .several,
            reason: "completes profile changes in the background, from an index that has only those"
        ),
        "award.pending": Exception(
            reach: .several,
            reason: "gives players their awards in the background, from a table that has only pending ones"
        ),
        "leaderboard.players": Exception(reach: .several, reason: leaderboards),
        "leaderboard.top": Exception(reach: .all, reason: leaderboards),
        "leaderboard.leader": Exception(reach: .all, reason: leaderboards),
        "leaderboard.above": Exception(reach: .all, reason: leaderboards),
        "leaderboard.below": Exception(reach: .all, reason: leaderboards),
        "leaderboard.histogram": Exception(reach: .several, reason: leaderboards),
        "idempotency.find": Exception(
            reach: .several,
            reason: "a repeated request whose invite code leads to no party any more does not say which shard it was in"
        ),
        "activity.ofToken": Exception(
            reach: .several,
            reason: "a registration looks for another activity with the token, which may be of another player"
        ),
        "device.ofPlayers": Exception(reach: .several, reason: operators),
        "device.startable": Exception(
            reach: .several,
            reason: "an adventure that starts looks once for the devices of its few members"
        ),
        "device.alertable": Exception(
            reach: .several,
            reason: "an alert looks for the devices of the few members whom it concerns"
        ),
        "adventure.newlyMarked": Exception(reach: .several, reason: dispatcher),
        "device.withPushToStartToken": Exception(
            reach: .several,
            reason: "a registration looks for another device with the token, which may be of another player"
        ),
        "device.withAlertToken": Exception(
            reach: .several,
            reason: "a registration looks for another device with the token, which may be of another player"
        ),
        "device.withWidgetToken": Exception(
            reach: .several,
            reason: "a registration looks for another device with the token, which may be of another player"
        ),
        "widget.due": Exception(
            reach: .several,
            scans: ["shards"],
            reason: "looks for due pushes to widgets in the background, in an index that has only those"
        ),
        "spectators.valid": Exception(
            reach: .several,
            reason: "checks in one query whether the links of a node's event subscribers are still open"
        ),
        "spectators.watched": Exception(reach: .several, reason: channels),
        "spectators.last": Exception(reach: .several, reason: channels),
        "raid.list": Exception(reach: .all, reason: raids),
        "raid.current": Exception(reach: .all, reason: raids),
        "raid.open": Exception(reach: .several, reason: raids),
        "raidMember.progress": Exception(reach: .several, reason: raids),
        "raidMember.rounds": Exception(reach: .several, reason: raids),
        "raidMember.blows": Exception(reach: .several, reason: raids),
        "raidMember.standings": Exception(
            reach: .several,
            reason: "a node reads the standings of a raid every ten seconds at most, for all readers"
        ),
        "channel.list": Exception(reach: .several, reason: channels),
        "channel.due": Exception(reach: .several, reason: channels),
        "channel.count": Exception(reach: .several, reason: channels),
        "audit.ends": Exception(reach: .all, reason: operators),
        "audit.hashes": Exception(reach: .several, reason: operators),
        "audit.list": Exception(reach: .all, reason: operators),
        "audit.listOfAuthor": Exception(reach: .all, reason: operators),
        "diagnosis.leases": Exception(reach: .all, scans: ["leases"], reason: operators),
        "diagnosis.lostCommits": Exception(reach: .all, scans: ["leases"], reason: operators),
        "diagnosis.unsent": Exception(reach: .all, scans: ["leases", "shards"], reason: operators),
        "diagnosis.liveActivities": Exception(reach: .all, reason: operators),
        "adventure.faulty": Exception(reach: .all, reason: operators),
        "activity.ofPlayer": Exception(reach: .several, reason: exports),
        "decisions.readSeveral": Exception(reach: .several, reason: exports),
        "receipts.readSeveral": Exception(reach: .several, reason: exports),
        "playerData.keys": Exception(reach: .several, reason: exports),
        "erasure.shardsOfActivities": Exception(reach: .several, reason: erasures),
        "erasure.shardsOfRecords": Exception(reach: .several, reason: erasures),
        "retention.formerMembers": Exception(reach: .all, reason: retentionWorker),
        "retention.reserved": Exception(reach: .all, reason: retentionWorker),
        "statistics.parties": Exception(reach: .all, scans: ["parties"], reason: operators),
        "statistics.players": Exception(reach: .all, scans: ["players"], reason: operators),
        "statistics.activities": Exception(reach: .all, reason: operators),
        "statistics.shards": Exception(
            reach: .all,
            scans: ["shards", "leases"],
            reason: operators
        ),
        "backlog.read": Exception(
            reach: .all,
            scans: ["shards", "leases"],
            reason: "the backlog metrics, once per node and scrape"
        ),
    ]

    /// The tables that each statement's plan may scan completely.
    static let scans = all.mapValues(\.scans)

    /// The tables that every plan may scan completely, each with the reason.
    static let smallTables = [
        "channel_keepers": "one row for each APNs environment",
        "dispatchers": "one row per dispatcher",
        "erasures": "a few pending erasures",
        "audit_heads": "256 rows in two pages",
    ]
}

/// The statements that do not name one shard, each with the reason.
enum StatementExceptions {
    struct Exception {
        let reach: DistributionRules.Reach
        /// Tables of which a plan may read every row.
        var scans: Set<String> = []
        let reason: String
    }

    private static let engine = "the engine's look at all shards: a row each, and no lock"
    private static let dispatcher = "a dispatcher's shards in one question, each a row that stands by itself"
    private static let dispatchers = "who else is there: a row for each dispatcher that runs, read by each of them"
    private static let housekeeper = "looks in the background for what is over, a page at a time, and locks nothing"
    private static let operators = "an operator asks, rarely, and waits"

    static let all: [String: Exception] = [
        "shard.due": Exception(reach: .all, scans: ["shards"], reason: engine),
        "shard.heads": Exception(reach: .several, reason: dispatcher),
        "lease.free": Exception(reach: .all, scans: ["leases"], reason: dispatcher),
        "lease.ofHolder": Exception(reach: .several, reason: dispatcher),
        "dispatcher.rank": Exception(reach: .all, reason: dispatchers),
        "dispatcher.count": Exception(reach: .all, reason: dispatchers),
        "dispatcher.expired": Exception(reach: .all, reason: dispatchers),
        "party.currentMembers": Exception(
            reach: .several,
            reason: "whether those who follow events still may, all of a node's in one question"
        ),
        "partyList.read": Exception(reach: .several, reason: operators),
        "partyList.members": Exception(reach: .several, reason: operators),
        "partyList.scan": Exception(reach: .all, reason: operators),
        "activity.named": Exception(reach: .all, reason: operators),
        "activity.newestOfPlayer": Exception(reach: .several, reason: operators),
        "audit.ends": Exception(reach: .all, reason: operators),
        "audit.hashes": Exception(reach: .several, reason: operators),
        "audit.list": Exception(reach: .all, reason: operators),
        "audit.listOfAuthor": Exception(reach: .all, reason: operators),
        "diagnosis.leases": Exception(reach: .all, scans: ["leases"], reason: operators),
        "diagnosis.unsent": Exception(reach: .all, scans: ["leases", "shards"], reason: operators),
        "diagnosis.liveActivities": Exception(reach: .all, reason: operators),
        "retention.formerMembers": Exception(reach: .all, reason: housekeeper),
        "retention.reserved": Exception(reach: .all, reason: housekeeper),
        "statistics.parties": Exception(reach: .all, scans: ["parties"], reason: operators),
        "statistics.players": Exception(reach: .all, scans: ["players"], reason: operators),
        "statistics.activities": Exception(reach: .all, reason: operators),
        "statistics.shards": Exception(
            reach: .all,
            scans: ["shards", "leases", "boss_turns"],
            reason: operators
        ),
        "backlog.read": Exception(
            reach: .all,
            scans: ["shards", "leases", "boss_turns"],
            reason: "how much there is to do, for the metrics: once a node and scrape"
        ),
    ]

    /// For each statement, the tables of which its plan may read every row.
    static let scans = all.mapValues(\.scans)

    /// Tables of which every plan may read all rows, each with the reason.
    static let smallTables = [
        "dispatchers": "a row for each dispatcher that runs",
        "erasures": "those that are not finished: a few",
        "audit_heads": "256 rows in two pages",
    ]
}

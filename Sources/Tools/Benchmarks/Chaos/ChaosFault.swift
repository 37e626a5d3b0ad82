/// One thing that is done to a running service on purpose.
enum ChaosFault: Hashable, Sendable {
    /// A node gets SIGKILL, and is started again after a while.
    case nodeKilled(Int, away: Duration)
    /// A node gets SIGSTOP and, after more than its lease lasts, SIGCONT.
    case nodeStopped(Int, for: Duration)
    /// Every backend of the nodes is terminated.
    case backendsTerminated
    /// PostgreSQL stops at once, as in a crash, and starts again.
    case databaseRestarted
    /// The same, with time in between.
    case databaseAway(for: Duration)
    /// A reader keeps the oldest snapshot, so that nothing that dies meanwhile can be cleaned away.
    case snapshotPinned(for: Duration)
    /// Somebody locks the newest live row of a kind in a session by hand, and rolls back after a while.
    case rowLocked(Row, for: Duration)
    /// The disk that the game's tables are on is full.
    case diskFull(for: Duration)
    /// APNs breaks connections before it has processed a push.
    case apnsDrops(for: Duration)
    /// APNs breaks connections after it has processed a push.
    case apnsLosesAnswers(for: Duration)
    /// APNs neither processes nor answers pushes.
    case apnsStalls(for: Duration)
    /// Every live card gets another push token.
    case tokensRotated
    /// More parties come, play and go.
    case loadRaised(for: Duration)
    /// An operator's campaign is killed half-way, and gone on with after a while.
    case campaignInterrupted(after: Duration, away: Duration)

    /// What a row that is locked is one of.
    enum Row: String, CaseIterable, Hashable, Sendable {
        case activity
        case adventure
        case lease
    }

    /// What it is done to; what is done to one of them is done one after another.
    enum Place: String, CaseIterable, Encodable, Hashable, Sendable {
        case nodes
        case database
        case apns
        case players
    }

    /// What it is done to.
    var place: Place {
        switch self {
        case .nodeKilled, .nodeStopped: .nodes
        case .backendsTerminated, .databaseRestarted, .databaseAway, .snapshotPinned, .rowLocked, .diskFull: .database
        case .apnsDrops, .apnsLosesAnswers, .apnsStalls: .apns
        case .tokensRotated, .loadRaised, .campaignInterrupted: .players
        }
    }

    /// Whether nobody can do any work while it lasts, however well all nodes are.
    ///
    /// PostgreSQL is away then, ends all sessions, or cannot write. A row or a snapshot that somebody holds keeps no one else from working.
    var isOutage: Bool {
        switch self {
        case .backendsTerminated, .databaseRestarted, .databaseAway, .diskFull: true
        case .nodeKilled, .nodeStopped, .snapshotPinned, .rowLocked, .apnsDrops, .apnsLosesAnswers, .apnsStalls,
            .tokensRotated, .loadRaised, .campaignInterrupted:
            false
        }
    }

    /// How long it lasts by itself, recovery left aside.
    var length: Duration {
        switch self {
        case .nodeKilled(_, let length), .nodeStopped(_, let length), .databaseAway(let length),
            .snapshotPinned(let length), .rowLocked(_, let length), .diskFull(let length), .apnsDrops(let length),
            .apnsLosesAnswers(let length), .apnsStalls(let length), .loadRaised(let length):
            length
        case .campaignInterrupted(let after, let away): after + away
        case .backendsTerminated, .databaseRestarted, .tokensRotated: .zero
        }
    }

    /// What is done, for people.
    var words: String {
        switch self {
        case .nodeKilled(let node, let length): "node \(node + 1): SIGKILL, back after \(length.text)"
        case .nodeStopped(let node, let length): "node \(node + 1): SIGSTOP, SIGCONT after \(length.text)"
        case .backendsTerminated: "PostgreSQL: all backends terminated"
        case .databaseRestarted: "PostgreSQL: immediate restart"
        case .databaseAway(let length): "PostgreSQL: away for \(length.text)"
        case .snapshotPinned(let length): "PostgreSQL: oldest snapshot pinned for \(length.text)"
        case .rowLocked(let row, let length): "PostgreSQL: row locked for \(length.text) (\(row.rawValue))"
        case .diskFull(let length): "PostgreSQL: disk full for \(length.text)"
        case .apnsDrops(let length): "APNs: drops connections for \(length.text)"
        case .apnsLosesAnswers(let length): "APNs: loses answers for \(length.text)"
        case .apnsStalls(let length): "APNs: stalls for \(length.text)"
        case .tokensRotated: "phones: all tokens rotated"
        case .loadRaised(let length): "players: more of them for \(length.text)"
        case .campaignInterrupted(let after, let away):
            "operator: campaign killed after \(after.text), continued after \(away.text)"
        }
    }
}

extension Duration {
    /// Seconds with one place behind the point.
    var text: String { NumberText.text(self / .seconds(1), digits: 1) + " s" }
}

import GameCore
import GameStore

extension DoctorCheck {
    /// So long may a session wait for a lock: a tenth of what a request may take.
    ///
    /// Transactions of the game take milliseconds.
    static let toleratedLockWait = Duration.seconds(3)
    /// So long may a snapshot stay open before ticks become slower in earnest.
    static let toleratedSnapshotAge = Duration.seconds(60)
    /// How many sessions are named, of each kind.
    static let mostSessions = 3

    /// Who is in the way of the game, in the database.
    static func sessions(blocking: [ObstructiveSession], keeping: [ObstructiveSession]) -> Self {
        let name = "database sessions"
        // Who blocks others is worse, and may be both.
        let kept = keeping.filter { session in !blocking.contains { $0.process == session.process } }
        let sessions = blocking + kept
        guard let worst = sessions.first else {
            return Self(name, .ok, "Nobody keeps others waiting for a lock, or an old snapshot open.")
        }
        let remedy = """
            Have whoever runs it end that transaction; or, as its user or a superuser, SELECT pg_terminate_backend(\(worst.process)), \
            which rolls it back. idle_in_transaction_session_timeout ends forgotten ones by itself.
            """
        return Self(name, .failed, sessions.map(Self.words).joined(separator: " "), remedy: remedy)
    }

    private static func words(about session: ObstructiveSession) -> String {
        let details = [
            session.user.map { "user \($0)" }, session.application.isEmpty ? nil : session.application, session.state,
        ]
        .compactMap(\.self)
        let name = "Session \(session.process)" + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
        return switch session.obstruction {
        case .locks(let waiting, let longest):
            "\(name) keeps \(waiting == 1 ? "another" : "\(waiting) others") waiting for a lock, for \(text(longest)) by now."
        case .snapshot(let open):
            "\(name) has kept a snapshot open for \(text(open)): what it might still see of changed rows stays, and slows down ticks."
        }
    }
}

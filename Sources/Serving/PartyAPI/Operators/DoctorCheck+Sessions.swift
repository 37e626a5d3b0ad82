import GameCore
import GameStore

extension DoctorCheck {
    /// The longest acceptable wait for a lock: a tenth of the request timeout.
    ///
    /// Transactions of the game take milliseconds.
    static let toleratedLockWait = Duration.seconds(3)
    /// The longest acceptable age of a snapshot.
    ///
    /// Older ones slow down ticks noticeably.
    static let toleratedSnapshotAge = Duration.seconds(60)
    /// The maximum number of sessions of each kind in a finding.
    static let maxSessions = 3

    /// Checks the database sessions that obstruct the game.
    static func sessions(blocking: [ObstructiveSession], keeping: [ObstructiveSession]) -> Self {
        let name = "database sessions"
        // Blocking others is worse than an old snapshot; a session may do both.
        let kept = keeping.filter { session in !blocking.contains { $0.process == session.process } }
        let sessions = blocking + kept
        guard let worst = sessions.first else {
            return Self(name, .ok, "No session blocks others or keeps an old snapshot open.")
        }
        let remedy = """
            End that transaction in its program; or, as its user or a superuser, SELECT pg_terminate_backend(\(worst.process)), \
            which rolls it back. idle_in_transaction_session_timeout ends forgotten transactions automatically.
            """
        return Self(name, .failed, sessions.map(Self.sentence).joined(separator: " "), remedy: remedy)
    }

    private static func sentence(about session: ObstructiveSession) -> String {
        let details = [
            session.user.map { "user \($0)" }, session.application.isEmpty ? nil : session.application, session.state,
        ]
        .compactMap(\.self)
        let name = "Session \(session.process)" + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
        return switch session.obstruction {
        case .locks(let waiting, let longest):
            "\(name) has blocked \(waiting == 1 ? "another session" : "\(waiting) other sessions") for \(text(longest))."
        case .snapshot(let open):
            "\(name) has kept a snapshot open for \(text(open)), which prevents vacuum and slows down ticks."
        }
    }
}

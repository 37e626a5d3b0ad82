import Encodings
import GameCore
import GameStore

extension Problem {
    /// What is asked for was removed, since its adventure has been over for long.
    static func detailsRemoved(at moment: Timestamp) -> Self {
        Problem(
            kind: .detailsRemoved,
            detail: """
                The adventure ended long ago, and its events and inputs were removed at \(moment.rfc3339); how it ended is \
                still known.
                """
        )
    }
}

extension StoredAdventure {
    /// - Throws: ``Problem/detailsRemoved(at:)`` when there is nothing to tell of what happened.
    func checkDetails() throws(Problem) {
        if let detailsRemovedAt { throw .detailsRemoved(at: detailsRemovedAt) }
    }
}

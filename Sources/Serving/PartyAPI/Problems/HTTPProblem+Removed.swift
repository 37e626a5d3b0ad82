import Encodings
import GameCore
import GameStore
import HTTPServing

extension HTTPProblem {
    /// The requested details were removed, because the adventure ended long ago.
    static func detailsRemoved(at moment: Timestamp) -> Self {
        Self(
            kind: .detailsRemoved,
            detail: """
                The events and inputs of the adventure were removed at \(moment.rfc3339), long after its end. Its final state \
                is still available.
                """
        )
    }
}

extension StoredAdventure {
    /// - Throws: ``HTTPProblem/detailsRemoved(at:)`` if the adventure's events and inputs were removed.
    func checkDetails() throws(HTTPProblem) {
        if let detailsRemovedAt { throw .detailsRemoved(at: detailsRemovedAt) }
    }
}

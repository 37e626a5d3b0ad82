import Encodings
import GameCore
import GameStore
import HTTPServing

extension HTTPProblem {
    /// Returns the problem of a request for details that were removed long after the end of the adventure.
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
    /// Checks that the adventure's events and inputs are still stored.
    /// - Throws: ``HTTPProblem/detailsRemoved(at:)`` if the adventure's events and inputs were removed.
    func checkDetails() throws(HTTPProblem) {
        if let detailsRemovedAt { throw .detailsRemoved(at: detailsRemovedAt) }
    }
}

import HTTPServing
import HTTPTypes

/// The sequence after which an event stream begins.
struct Resumption {
    let sequence: Int

    /// Parses the position that a client sent.
    /// - Parameters:
    ///   - after: the query parameter `after`; nil begins with the first event.
    ///   - lastEventID: the header `Last-Event-ID` of a reconnecting client, which takes precedence.
    /// - Throws: ``HTTPProblem/invalidFields(_:)`` if either is malformed, even if the other takes precedence.
    init(after: String?, lastEventID: String?) throws(HTTPProblem) {
        let range = 0...Int(Int32.max)
        var errors: [HTTPProblem.FieldError] = []
        let start = after.map { WholeNumber.read($0, in: range) } ?? 0
        if start == nil {
            let reason = "must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            errors.append(.init(field: "after", reason: reason))
        }
        let last = lastEventID.map { WholeNumber.read($0, in: range) } ?? start
        if let lastEventID, WholeNumber.read(lastEventID, in: range) == nil {
            let reason = "must be the identifier of an event of this stream"
            errors.append(.init(field: HTTPField.Name.lastEventID.rawName, reason: reason))
        }
        guard errors.isEmpty, let last else { throw .invalidFields(errors) }
        sequence = last
    }
}

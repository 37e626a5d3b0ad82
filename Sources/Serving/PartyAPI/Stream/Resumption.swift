import HTTPTypes

/// The sequence after which a stream of events begins.
struct Resumption {
    let sequence: Int

    /// Reads what a client has sent.
    /// - Parameters:
    ///   - after: the query's `after`; nil begins with the first event.
    ///   - lastEventID: `Last-Event-ID` of a client who comes back, which counts more.
    /// - Throws: ``Problem/invalidFields(_:)``, also for an `after` that does not count: a client that misspells it should
    ///   hear of it.
    init(after: String?, lastEventID: String?) throws(Problem) {
        let range = 0...Int(Int32.max)
        var errors: [Problem.FieldError] = []
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

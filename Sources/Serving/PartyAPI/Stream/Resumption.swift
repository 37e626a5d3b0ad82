import Encodings
import HTTPServing
import HTTPTypes

/// The event after which an event stream begins.
struct Resumption: Equatable {
    /// Its sequence; 0 for the beginning.
    let sequence: Int
    /// The mark in its identifier; nil if the client gave a sequence alone.
    let mark: String?

    /// The event of a sequence.
    init(sequence: Int, mark: String? = nil) { (self.sequence, self.mark) = (sequence, mark) }

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
        // The identifier of an event, or its sequence alone.
        let parts = lastEventID?.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let mark = parts.flatMap { $0.count > 1 ? String($0[1]) : nil }
        let last = parts.map { WholeNumber.read(String($0[0]), in: range) } ?? start
        if lastEventID != nil, last == nil || mark.map({ !Self.isMark($0) }) ?? false {
            let reason = "must be the identifier of an event of this stream"
            errors.append(.init(field: HTTPField.Name.lastEventID.rawName, reason: reason))
        }
        guard errors.isEmpty, let last else { throw .invalidFields(errors) }
        self.init(sequence: last, mark: mark)
    }

    private static func isMark(_ text: String) -> Bool {
        text.utf8.count == 8 && text.utf8.allSatisfy { HexDigit.value(of: $0).map(HexDigit.ascii) == $0 }
    }
}

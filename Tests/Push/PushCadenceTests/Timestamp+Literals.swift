public import Encodings

// The moments of these tests are small numbers.

extension Timestamp: ExpressibleByIntegerLiteral {
    /// Creates a moment from microseconds since 1970.
    public init(integerLiteral microseconds: Int64) {
        self.init(microseconds: microseconds)
    }

    static func += (moment: inout Self, microseconds: Int64) { moment = moment + .microseconds(microseconds) }
}

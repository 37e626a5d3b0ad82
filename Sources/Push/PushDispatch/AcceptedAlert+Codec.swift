import Encodings
import PushCadence
import PushRules

// The stored form of accepted alerts: for each the code of its kind, and the eight bytes of its moment in microseconds,
// the lowest byte first.

extension [AcceptedAlert] {
    /// The stored form.
    var encoded: [UInt8] {
        flatMap { alert in
            [alert.kind.code] + (0..<8).map { UInt8(truncatingIfNeeded: alert.moment.microseconds >> ($0 * 8)) }
        }
    }

    /// Decodes the stored form; alerts of other releases that this one does not know are left out.
    package init(encoded bytes: [UInt8]) {
        self = stride(from: 0, to: bytes.count - 8, by: 9).compactMap { start in
            guard let kind = AlertKind(code: bytes[start]) else { return nil }
            let moment = (0..<8).reduce(Int64(0)) { $0 | Int64(bytes[start + 1 + $1]) << ($1 * 8) }
            return AcceptedAlert(kind: kind, moment: Timestamp(microseconds: moment))
        }
    }
}

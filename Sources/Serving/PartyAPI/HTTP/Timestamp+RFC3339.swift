import Encodings
import Foundation
import GameCore

extension Timestamp {
    /// The moment as answers write it: RFC 3339 in UTC with milliseconds, what is finer cut off.
    var rfc3339: String {
        var bytes: [UInt8] = []
        writeRFC3339(to: &bytes, fractionDigits: 3)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The moment that a text in the form of RFC 3339 says, in UTC, with or without a fraction of the second; nil for
    /// every other text.
    init?(rfc3339 text: String) {
        let form = /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z/
        // What has the form, and is no date, such as the 31st of February, is none of these texts.
        guard
            let match = text.wholeMatch(of: form),
            let seconds = try? Date(String(text.prefix(19)) + "Z", strategy: .iso8601)
        else { return nil }
        let fraction = (match.output.1?.dropFirst() ?? "") + "000000"
        guard let microseconds = Int64(fraction.prefix(6)) else { return nil }
        self.init(microseconds: Int64(seconds.timeIntervalSince1970) * 1_000_000 + microseconds)
    }
}

import Foundation
import GameCore

extension Timestamp {
    /// The moment as answers write it: RFC 3339 in UTC with milliseconds, what is finer cut off.
    var rfc3339: String {
        let wholeSeconds = Date(timeIntervalSince1970: TimeInterval(epochSeconds)).formatted(.iso8601)
        let milliseconds = (microseconds - epochSeconds * 1_000_000) / 1_000
        return wholeSeconds.dropLast() + ".\(String("00\(milliseconds)".suffix(3)))Z"
    }
}

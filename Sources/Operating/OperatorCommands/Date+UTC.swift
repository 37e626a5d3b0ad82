import Foundation

extension Date {
    /// The day in UTC, such as `2026-01-02`.
    var utcDay: String { String(formatted(.iso8601).prefix(10)) }

    /// The time in UTC to the second, such as `03:04:05`.
    var utcTime: String { String(formatted(.iso8601).dropFirst(11).prefix(8)) }

    /// Day and time in UTC to the second, such as `2026-01-02 03:04:05`.
    var utcText: String { "\(utcDay) \(utcTime)" }

    /// Returns the whole seconds since an earlier date; negative if that date is later.
    func wholeSeconds(since earlier: Date) -> Int {
        Int(timeIntervalSince1970.rounded(.down)) - Int(earlier.timeIntervalSince1970.rounded(.down))
    }

    /// Returns the time since an earlier date in its two largest units, such as `3 s`, `2 min 5 s` or `1 h 2 min`.
    func intervalText(since earlier: Date) -> String {
        let seconds = max(0, wholeSeconds(since: earlier))
        return switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min \(seconds % 60) s"
        default: "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
        }
    }
}

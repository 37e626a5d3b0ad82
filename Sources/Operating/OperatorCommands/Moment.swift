import Encodings
import Foundation

/// A moment as the server writes it, `2026-01-02T03:04:05.678Z`, to the second.
struct Moment: Decodable {
    /// `2026-01-02`.
    let day: String
    /// `03:04:05`.
    let time: String
    private let epochSeconds: Int

    /// A moment in seconds since 1970, as pushes carry them.
    init(epochSeconds: Int) {
        let text = Timestamp(epochSeconds: Int64(epochSeconds)).rfc3339(fractionDigits: 0)
        (day, time) = (String(text.prefix(10)), String(text.dropFirst(11).prefix(8)))
        self.epochSeconds = epochSeconds
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        // The error has the coding path, which an error of a date parser lacks.
        guard let timestamp = Timestamp(rfc3339: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not a time in RFC 3339")
        }
        self.init(epochSeconds: Int(timestamp.epochSeconds))
    }

    /// To the second, like all of it.
    var date: Date { Date(timeIntervalSince1970: TimeInterval(epochSeconds)) }

    /// Day and time, in UTC.
    var text: String { "\(day) \(time)" }

    /// Whole seconds from an earlier moment to this one; nil when it was later.
    func secondsSince(_ earlier: Self) -> Int? {
        epochSeconds >= earlier.epochSeconds ? epochSeconds - earlier.epochSeconds : nil
    }

    /// How long after an earlier moment, in the two largest units: `3 s`, `2 min 5 s`, `1 h 2 min`.
    func timeSince(_ earlier: Self) -> String {
        let seconds = max(0, epochSeconds - earlier.epochSeconds)
        switch seconds {
        case ..<60: return "\(seconds) s"
        case ..<3_600: return "\(seconds / 60) min \(seconds % 60) s"
        default: return "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
        }
    }
}

import Encodings
import Foundation
import Testing

struct RFC3339Tests {
    @Test func `a time is written as by Foundation, in every year from 1600 to 9999`() {
        // Before 1583 Foundation uses the Julian calendar. The step is some 20 days and a part of a day, so that the
        // times cover every day of the year and every time of day.
        for second in stride(from: Int64(-11_676_096_000), to: 253_402_300_799, by: 1_731_337) {
            let timestamp = Timestamp(microseconds: second * 1_000_000 + 123_456)
            let expected = Date(timeIntervalSince1970: TimeInterval(second)).formatted(.iso8601)
            #expect(timestamp.rfc3339 == expected.dropLast() + ".123Z")
            #expect(timestamp.rfc3339(fractionDigits: 0) == expected)
            #expect(Timestamp(rfc3339: timestamp.rfc3339(fractionDigits: 6)) == timestamp)
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_790_000_000_007_999, "2026-09-21T14:13:20.007Z"),
            (1_790_000_000_999_999, "2026-09-21T14:13:20.999Z"), (-1, "1969-12-31T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func `a time is written to the millisecond, never rounded up`(microseconds: Int64, text: String) {
        #expect(Timestamp(microseconds: microseconds).rfc3339 == text)
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.5Z", 500_000), ("1970-01-01T00:00:00.000001Z", 1),
            ("1969-12-31T23:59:59.999999Z", -1), ("2024-02-29T12:00:00Z", 1_709_208_000_000_000),
            ("2016-12-31T23:59:60Z", 1_483_228_800_000_000), ("0000-01-01T00:00:00Z", -62_167_219_200_000_000),
            ("9999-12-31T23:59:59Z", 253_402_300_799_000_000),
        ] as [(String, Int64)]
    )
    func `a time is read with up to six digits of a fraction`(text: String, microseconds: Int64) {
        #expect(Timestamp(rfc3339: text)?.microseconds == microseconds)
    }

    @Test(
        arguments: [
            "", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04:05+00:00", "2026-01-02 03:04:05Z",
            "2026-01-02t03:04:05z", "2026-1-02T03:04:05Z", "2026-01-02T03:04Z", "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05.1234567Z", "2026-01-02T03:04:05Z ", "+2026-01-02T03:04:05Z", "２026-01-02T03:04:05Z",
        ]
    )
    func `a text of another form is not a time`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }

    @Test(
        arguments: [
            "2026-02-29T00:00:00Z", "2026-02-31T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
            "2026-00-10T00:00:00Z", "2026-13-10T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z",
            "2026-01-02T24:00:00Z", "2026-01-02T23:60:00Z", "2026-01-02T23:59:61Z",
        ]
    )
    func `a date or time that does not exist is not read`(text: String) {
        #expect(Timestamp(rfc3339: text) == nil)
    }
}

import Encodings
import Foundation
import GameCore
import Testing

/// The texts of identifiers and moments, held against Foundation's.
@Suite struct TextFormTests {
    @Test func `a UUID is written as Foundation does, in lower case, and read back`() {
        for number in 0..<1_024 {
            let uuid = UUID(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number / 4 + $0 * 0x31 * (number % 4)) })
            #expect(uuid.lowercaseText == uuid.uuidString.lowercased())
            #expect(UUID(text: uuid.lowercaseText) == uuid)
            #expect(UUID(text: uuid.uuidString) == uuid)
        }
    }

    @Test(
        arguments: [
            "", "0", "01a201ee-adf1-7247-9911-489e33e4e1b", "01a201ee-adf1-7247-9911-489e33e4e1b66",
            "01a201eeadf17247 9911489e33e4e1b60000", "01a201ee-adf1-7247-9911-489e33e4e1bg",
            "01a201ee_adf1_7247_9911_489e33e4e1b6", "-1a201ee-adf1-7247-9911-489e33e4e1b6",
            "01a201ee-adf1-7247-9911-489e33e4e1ö", " 1a201ee-adf1-7247-9911-489e33e4e1b6",
        ]
    )
    func `every other text is no UUID`(text: String) {
        #expect(UUID(text: text) == nil)
        #expect(AdventureID(text) == nil)
    }

    @Test func `a moment is written as Foundation does, in every year from 1600 to 9999`() {
        // Before 1583 Foundation counts by the Julian calendar. Some 20 days and a part: the step meets every day of the year and every time of day.
        for second in stride(from: Int64(-11_676_096_000), to: 253_402_300_799, by: 1_731_337) {
            var bytes: [UInt8] = []
            Timestamp(microseconds: second * 1_000_000 + 123_456).writeRFC3339(to: &bytes, fractionDigits: 3)
            let expected = Date(timeIntervalSince1970: TimeInterval(second)).formatted(.iso8601)
            #expect(String(decoding: bytes, as: UTF8.self) == expected.dropLast() + ".123Z")
        }
    }
}

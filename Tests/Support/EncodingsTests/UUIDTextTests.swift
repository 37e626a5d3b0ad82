import Encodings
import Foundation
import Testing

struct UUIDTextTests {
    @Test func `a UUID is written as by Foundation, in lower case, and read back`() {
        for number in 0..<1_024 {
            let uuid = UUID(bytes: (0..<16).map { UInt8(truncatingIfNeeded: number / 4 + $0 * 0x31 * (number % 4)) })
            #expect(uuid.lowercaseText == uuid.uuidString.lowercased())
            #expect(UUID(text: uuid.lowercaseText) == uuid)
            var bytes = Array("id=".utf8)
            uuid.appendLowercaseText(to: &bytes)
            #expect(bytes == Array("id=\(uuid.lowercaseText)".utf8))
            #expect(UUID(text: bytes.span.extracting(3...)) == uuid)
            #expect(UUID(text: uuid.uuidString) == uuid)
            #expect(UUID(text: "[\(uuid)]".dropFirst().dropLast()) == uuid)
        }
    }

    @Test(
        arguments: [
            "", "0", "01a201ee-adf1-7247-9911-489e33e4e1b", "01a201ee-adf1-7247-9911-489e33e4e1b66",
            "01a201eeadf17247 9911489e33e4e1b60000", "01a201ee-adf1-7247-9911-489e33e4e1bg",
            "01a201ee_adf1_7247_9911_489e33e4e1b6", "-1a201ee-adf1-7247-9911-489e33e4e1b6",
            "01a201ee-adf1-7247-9911-489e33e4e1ö", " 1a201ee-adf1-7247-9911-489e33e4e1b6",
            "01a201eeadf1-7247-9911-489e33e4e1b6-", "g1a201ee-adf1-7247-9911-489e33e4e1b6",
        ]
    )
    func `a text of another form is not a UUID`(text: String) {
        #expect(UUID(text: text) == nil)
    }
}

import Foundation
import GameCore
import RangersClient
import Testing

@Suite struct ActivityIDTests {
    @Test func `an ActivityKit identifier that is a UUID is used as it is`() {
        let uuid = UUID()
        #expect(ActivityID(activityKitID: uuid.uuidString) == ActivityID(rawValue: uuid))
    }

    @Test func `any other ActivityKit identifier is hashed to a stable UUID of version 8`() {
        let names = ["", "a", "activity 1", "activity 2", "🐳"]
        let ids = names.map(ActivityID.init(activityKitID:))
        #expect(ids == names.map(ActivityID.init(activityKitID:)))
        #expect(Set(ids).count == names.count)
        for id in ids {
            let digits = Array("\(id)")
            #expect(digits[14] == "8")
            #expect("89ab".contains(digits[19]))
        }
        // The published FNV-1a hash of "a", except for the six version and variant bits.
        #expect("\(ids[1])" == "d228cb69-6f1a-8caf-b891-2b704e4a8964")
    }
}

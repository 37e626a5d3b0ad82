import Foundation
import GameCore
import RangersClient
import Testing

@Suite struct ActivityIDTests {
    @Test func `a name that is a UUID is the identifier`() {
        let uuid = UUID()
        #expect(ActivityID(activityKitID: uuid.uuidString) == ActivityID(rawValue: uuid))
    }

    @Test func `of any other name comes the same identifier at each launch, a UUID of version 8`() {
        let names = ["", "a", "activity 1", "activity 2", "🐳"]
        let ids = names.map(ActivityID.init(activityKitID:))
        #expect(ids == names.map(ActivityID.init(activityKitID:)))
        #expect(Set(ids).count == names.count)
        for id in ids {
            let digits = Array("\(id)")
            #expect(digits[14] == "8")
            #expect("89ab".contains(digits[19]))
        }
        // The published hash of "a", but for the six bits that say what kind of UUID it is.
        #expect("\(ids[1])" == "d228cb69-6f1a-8caf-b891-2b704e4a8964")
    }
}

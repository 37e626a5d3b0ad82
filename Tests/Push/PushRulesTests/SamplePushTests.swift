import Foundation
import LiveActivityContent
import Testing

@testable import PushRules

/// The sample push for testing a phone.
struct SamplePushTests {
    private struct Payload: Decodable {
        struct APS: Decodable {
            enum CodingKeys: String, CodingKey {
                case timestamp
                case event
                case state = "content-state"
                case staleDate = "stale-date"
                case dismissalDate = "dismissal-date"
                case attributes
                case alert
            }

            struct Alert: Decodable { let sound: String }

            let timestamp: Int64
            let event: String
            let state: AdventureAttributes.ContentState
            let staleDate: Int64?
            let dismissalDate: Int64?
            let attributes: AdventureAttributes?
            let alert: Alert?
        }

        let aps: APS
    }

    @Test(arguments: SamplePush.Event.allCases)
    func `a default decoder decodes the payload`(event: SamplePush.Event) throws {
        let bytes = try SamplePush.payload(event, timestamp: 1_790_000_000)
        let aps = try JSONDecoder().decode(Payload.self, from: Data(bytes)).aps
        #expect(aps.timestamp == 1_790_000_000 && aps.event == event.rawValue)
        #expect(aps.state.heroes.count == 2 && aps.state.boss != nil && aps.state.turn != nil)
        #expect((aps.attributes != nil && aps.alert != nil) == (event == .start))
        #expect((aps.staleDate == nil) == (event == .end) && (aps.dismissalDate != nil) == (event == .end))
    }

    @Test func `the push depends only on its timestamp`() throws {
        #expect(try SamplePush.payload(.update, timestamp: 7) == SamplePush.payload(.update, timestamp: 7))
    }
}

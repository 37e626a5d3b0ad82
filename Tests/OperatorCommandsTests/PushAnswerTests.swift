import Foundation
import Testing

@testable import OperatorCommands

/// How `rangersctl push test` tells what came of a push.
@Suite struct PushAnswerTests {
    private func answer(_ ending: String) throws -> PushAnswer {
        let json = #"""
            {"environment":"sandbox","headers":[{"name":"apns-priority","value":"10"}],"host":"api.example.com",
            "meaning":"It is not one of this environment.","payload":"{\"aps\":{}}","payloadBytes":10,"port":443,
            "remedy":"Try the other.","request":"POST /3/device/80f1c2…(8 bytes)",\#(ending)}
            """#
        return try JSONDecoder().decode(PushAnswer.self, from: Data(json.utf8))
    }

    @Test func `a refusal is told with its reason, its meaning and what to do`() throws {
        let refusal = try answer(#""answer":"refused","status":400,"reason":"BadDeviceToken""#)
        #expect(!refusal.isAccepted)
        #expect(
            refusal.lines(fitting: nil) == [
                "To        api.example.com:443 (sandbox)", "Request   POST /3/device/80f1c2…(8 bytes)",
                "          apns-priority: 10", "Payload   10 of 4096 bytes", #"          {"aps":{}}"#,
                "Answer    400 BadDeviceToken", "It means  It is not one of this environment.",
                "To do     Try the other.",
            ]
        )
    }

    @Test func `an accepted push has its place in Apple's console`() throws {
        let accepted = try answer(#""answer":"accepted","status":200,"apnsUniqueID":"7""#)
        #expect(accepted.isAccepted)
        #expect(accepted.lines(fitting: nil).contains("Answer    200 accepted"))
        #expect(accepted.lines(fitting: nil).contains("          apns-unique-id: 7"))
        #expect(try answer(#""answer":"neverSent""#).lines(fitting: nil).contains("Answer    none: it was not sent"))
    }
}

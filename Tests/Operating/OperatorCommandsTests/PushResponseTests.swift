import Foundation
import Testing

@testable import OperatorCommands

/// The output of `rangersctl push test`.
@Suite struct PushResponseTests {
    private func push(_ ending: String) throws -> PushResponse {
        let json = #"""
            {"environment":"sandbox","headers":[{"name":"apns-priority","value":"10"}],"host":"api.example.com",
            "meaning":"It is not one of this environment.","payload":"{\"aps\":{}}","payloadBytes":10,"port":443,
            "remedy":"Try the other.","request":"POST /3/device/80f1c2…(8 bytes)",\#(ending)}
            """#
        return try JSONDecoder().decode(PushResponse.self, from: Data(json.utf8))
    }

    @Test func `a rejection has its reason, meaning and remedy`() throws {
        let rejection = try push(#""outcome":"rejected","status":400,"reason":"BadDeviceToken""#)
        #expect(!rejection.isAccepted)
        #expect(
            rejection.lines(fitting: nil) == [
                "To        api.example.com:443 (sandbox)", "Request   POST /3/device/80f1c2…(8 bytes)",
                "          apns-priority: 10", "Payload   10 of 4096 bytes", #"          {"aps":{}}"#,
                "Response  400 BadDeviceToken", "It means  It is not one of this environment.",
                "To do     Try the other.",
            ]
        )
    }

    @Test func `a requested push has its own result or that of a later one`() throws {
        let push = #"""
            {"environment":"sandbox","headers":[],"host":"api.example.com","meaning":"It is taken.","payload":"{}",
            "payloadBytes":2,"port":443,"remedy":"Look.","request":"POST /3/device/80f1c2…","outcome":"accepted","status":200}
            """#
        let decision =
            #""trigger":"A wait was over","action":"Sent at priority 10","reason":"an operator requested it""#
        let wait =
            #""trigger":"An operator requested a push","action":"Delayed","reason":"at most one push a second""#
        let sent = #"{"outcome":"accepted",\#(decision)}"#
        let json = #"{"decisions":[{\#(wait)},\#(sent)],"requestedPush":{"position":8,"push":\#(push)}}"#
        let decisions = try JSONDecoder().decode(PushDecisions.self, from: Data(json.utf8))
        #expect(
            decisions.push(requestPosition: 7)?.isAccepted == true
                && decisions.push(requestPosition: 8)?.isAccepted == true
        )
        #expect(decisions.push(requestPosition: 9) == nil)
        #expect(
            decisions.newestDecision?.sentence
                == "A wait was over. Sent at priority 10 – an operator requested it."
        )
        let waiting = try JSONDecoder().decode(PushDecisions.self, from: Data(#"{"decisions":[{\#(wait)}]}"#.utf8))
        #expect(waiting.newestDecision?.action == "Delayed")
        let before = try JSONDecoder().decode(PushDecisions.self, from: Data(#"{"decisions":[]}"#.utf8))
        #expect(before.push(requestPosition: 1) == nil && before.newestDecision == nil)
    }

    @Test func `a push without a result is sent later, except to an environment that no node serves`() throws {
        func delay(_ decision: String) throws -> [String] {
            let json = #"{"decisions":[\#(decision)],"hasDispatcher":true}"#
            return try JSONDecoder().decode(PushDecisions.self, from: Data(json.utf8)).delay(requestPosition: 7)
        }
        let later =
            "The push is requested (position 7), but there is no result yet: a dispatcher sends it later. "
            + "See 'rangersctl activity explain'."
        #expect(try delay("") == [later])
        let wait = #"{"decision":"delayed","trigger":"Hero hurt","action":"Delayed","reason":"the last try failed"}"#
        #expect(try delay(wait) == ["Hero hurt. Delayed – the last try failed.", later])
        let foreign = #"{"decision":"notServed","trigger":"Registered","action":"Not pushed to","reason":"foreign"}"#
        #expect(try delay(foreign) == ["Registered. Not pushed to – foreign."])
    }

    @Test func `a missing dispatcher is reported at once, and waited for during a handover`() {
        var watch = DispatcherWatch()
        func polled(_ hasDispatcher: Bool?, _ seconds: Int) -> DispatcherWatch.Step {
            watch.polled(hasDispatcher: hasDispatcher, at: .seconds(seconds))
        }
        #expect(polled(nil, 0) == .wait && polled(true, 0) == .wait)
        #expect(polled(false, 1) == .warn && polled(false, 8) == .wait)
        #expect(polled(true, 9) == .wait && polled(false, 10) == .wait && polled(false, 17) == .wait)
        #expect(polled(false, 18) == .giveUp)
    }

    @Test func `an accepted push has its identifier for Apple's console`() throws {
        let accepted = try push(#""outcome":"accepted","status":200,"apnsUniqueID":"7""#)
        #expect(accepted.isAccepted)
        #expect(accepted.lines(fitting: nil).contains("Response  200 accepted"))
        #expect(accepted.lines(fitting: nil).contains("          apns-unique-id: 7"))
        #expect(
            try push(#""outcome":"neverSent""#).lines(fitting: nil).contains("Response  none: the push was not sent")
        )
    }
}

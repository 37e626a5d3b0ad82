import CommandLineSupport
import Foundation
import Testing

@testable import OperatorCommands

/// Results and pace of `rangersctl boss start --all-idle`.
@Suite struct CampaignTests {
    private func step(_ json: String) throws -> CampaignStepResponse {
        try JSONDecoder().decode(CampaignStepResponse.self, from: Data(json.utf8))
    }

    private func result() throws -> CampaignResult {
        var result = CampaignResult(campaign: "may", boss: "glitch", dryRun: false)
        result.add(
            try step(
                #"{"parties":8,"started":[{"partyID":"a","adventureID":"x"}],"wouldStart":[],"busy":2,"alreadyStarted":1,"#
                    + #""earlierFights":[{"partyID":"b","adventureID":"w"}],"empty":0,"failed":[],"next":"c"}"#
            )
        )
        return result
    }

    @Test func `the results of steps are added`() throws {
        var result = try result()
        #expect(result.progress(fitting: nil) == "50 % · 4 of 8 parties, 1 fight")
        #expect(result.progress(fitting: 80) == "████████████░░░░░░░░░░░░ 50 % · 4 of 8 parties, 1 fight")
        #expect(result.progress(fitting: 40) == "████░░░░░ 50 % · 4 of 8 parties, 1 fight")
        for width in 1...80 { #expect(DisplayWidth.of(result.progress(fitting: width)) <= width) }
        result.add(
            try step(
                #"{"started":[{"partyID":"d","adventureID":"y"}],"wouldStart":[],"busy":0,"alreadyStarted":3,"earlierFights":[],"empty":0,"#
                    + #""failed":[{"partyID":"e","reason":"no-boss"}]}"#
            )
        )
        // Another party was created in the meantime.
        #expect(result.progress(fitting: nil) == "100 % · 9 of 9 parties, 2 fights")
        #expect(
            result.lines(fitting: nil) == [
                "Campaign may: glitch", "", "OUTCOME         PARTIES", "started               2",
                "started before        4", "busy                  2", "empty                 0",
                "failed                1", "all                   9", "", "Party e: no-boss", "",
                "2 parties were on an adventure and skipped. To include them later, run the command again with --campaign "
                    + "may.",
            ]
        )
        #expect(try result.sortedJSON.contains(#""alreadyStarted":4"#))
        #expect(try result.sortedJSON.contains(#""earlierFights":[{"adventureID":"w","partyID":"b"}]"#))
        #expect(try result.sortedJSON.contains(#""started":[{"adventureID":"x","partyID":"a"},{"adventureID":"y""#))
    }

    @Test func `a campaign without parties is complete`() {
        let result = CampaignResult(campaign: "may", boss: "glitch", dryRun: true)
        #expect(result.progress(fitting: nil) == "100 % · 0 of 0 parties, 0 fights")
    }

    @Test func `the pace limits the fights per second`() {
        let slow = CampaignPace(rate: 10)
        #expect(slow.limit == 10 && slow.due(after: 25) == .milliseconds(2_500))
        #expect(CampaignPace(rate: 1_000).limit == 50)
        #expect(CampaignPace(rate: 1_000).due(after: 50) == .milliseconds(50))
    }
}

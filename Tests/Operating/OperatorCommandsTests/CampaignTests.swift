import CommandLineSupport
import Foundation
import Testing

@testable import OperatorCommands

/// How `rangersctl boss start --all-idle` counts and paces.
@Suite struct CampaignTests {
    private func answer(_ json: String) throws -> CampaignAnswer {
        try JSONDecoder().decode(CampaignAnswer.self, from: Data(json.utf8))
    }

    private func tally() throws -> CampaignTally {
        var tally = CampaignTally(campaign: "may", boss: "glitch", dryRun: false)
        tally.add(
            try answer(
                #"{"parties":8,"started":[{"partyID":"a","adventureID":"x"}],"wouldStart":[],"busy":2,"already":1,"#
                    + #""served":[{"partyID":"b","adventureID":"w"}],"empty":0,"failed":[],"next":"c"}"#
            )
        )
        return tally
    }

    @Test func `steps add up to outcomes`() throws {
        var tally = try tally()
        #expect(tally.progress(fitting: nil) == "50 % · 4 of 8 parties, 1 fight")
        #expect(tally.progress(fitting: 80) == "████████████░░░░░░░░░░░░ 50 % · 4 of 8 parties, 1 fight")
        #expect(tally.progress(fitting: 40) == "████░░░░░ 50 % · 4 of 8 parties, 1 fight")
        for width in 1...80 { #expect(DisplayWidth.of(tally.progress(fitting: width)) <= width) }
        tally.add(
            try answer(
                #"{"started":[{"partyID":"d","adventureID":"y"}],"wouldStart":[],"busy":0,"already":3,"served":[],"empty":0,"#
                    + #""failed":[{"partyID":"e","reason":"no-boss"}]}"#
            )
        )
        // Another party has come meanwhile.
        #expect(tally.progress(fitting: nil) == "100 % · 9 of 9 parties, 2 fights")
        #expect(
            tally.lines(fitting: nil) == [
                "Campaign may: glitch", "", "OUTCOME        PARTIES", "started              2",
                "served before        4", "busy                 2", "empty                0",
                "failed               1", "all                  9", "", "Party e: no-boss", "",
                "2 parties were on an adventure, and left out: once they are idle, the same with --campaign may sets the "
                    + "boss on them.",
            ]
        )
        #expect(try tally.json.contains(#""already":4"#))
        #expect(try tally.json.contains(#""served":[{"adventureID":"w","partyID":"b"}]"#))
        #expect(try tally.json.contains(#""started":[{"adventureID":"x","partyID":"a"},{"adventureID":"y""#))
    }

    @Test func `no parties are all of them`() {
        let tally = CampaignTally(campaign: "may", boss: "glitch", dryRun: true)
        #expect(tally.progress(fitting: nil) == "100 % · 0 of 0 parties, 0 fights")
    }

    @Test func `no second begins more fights than are allowed`() {
        let slow = CampaignPace(rate: 10)
        #expect(slow.limit == 10 && slow.due(after: 25) == .milliseconds(2_500))
        #expect(CampaignPace(rate: 1_000).limit == 50)
        #expect(CampaignPace(rate: 1_000).due(after: 50) == .milliseconds(50))
    }
}

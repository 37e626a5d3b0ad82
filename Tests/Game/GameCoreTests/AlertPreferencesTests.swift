import Encodings
import Foundation
import GameCore
import Testing

struct AlertPreferencesTests {
    private func rings(_ preferences: AlertPreferences, in category: AlertPreferences.Category?, at text: String) throws
        -> Bool
    {
        preferences.rings(in: category, at: try #require(Timestamp(rfc3339: text)))
    }

    @Test func `a muted category never rings, and the others do`() throws {
        let preferences = AlertPreferences(muted: [.ownTurn, .boss])
        for category in AlertPreferences.Category.allCases {
            let isMuted = category == .ownTurn || category == .boss
            #expect(try rings(preferences, in: category, at: "2026-01-15T12:00:00Z") != isMuted)
        }
        #expect(try rings(preferences, in: nil, at: "2026-01-15T12:00:00Z"))
    }

    @Test(arguments: [
        // An hour before UTC in winter, two in summer.
        ("2026-01-15T20:59:59Z", true), ("2026-01-15T21:00:00Z", false), ("2026-01-16T05:59:59Z", false),
        ("2026-01-16T06:00:00Z", true), ("2026-07-15T19:59:59Z", true), ("2026-07-15T20:00:00Z", false),
        ("2026-07-16T04:59:59Z", false), ("2026-07-16T05:00:00Z", true),
        // The night in which clocks are set forward.
        ("2026-03-28T20:59:59Z", true), ("2026-03-28T21:00:00Z", false), ("2026-03-29T04:59:59Z", false),
        ("2026-03-29T05:00:00Z", true),
    ])
    func `quiet hours follow the wall clock over midnight and daylight saving time`(moment: String, isLoud: Bool) throws
    {
        let night = AlertPreferences.QuietHours(from: 22 * 60, to: 7 * 60, timeZone: "Europe/Berlin")
        #expect(try rings(AlertPreferences(quietHours: night), in: .danger, at: moment) == isLoud)
        #expect(try rings(AlertPreferences(quietHours: night), in: nil, at: moment) == isLoud)
    }

    @Test func `quiet hours within a day begin with their first minute and end before the last`() throws {
        let nap = AlertPreferences(quietHours: .init(from: 780, to: 840, timeZone: "UTC"))
        let loud = ["12:59:59", "14:00:00", "00:00:00"]
        for time in loud { #expect(try rings(nap, in: .boss, at: "2026-01-15T\(time)Z")) }
        for time in ["13:00:00", "13:59:59"] { #expect(try !rings(nap, in: .boss, at: "2026-01-15T\(time)Z")) }
    }

    @Test func `preferences of a newer version, or with an unknown time zone, mute what this version knows`() throws {
        let json = #"{"muted":["boss","pets"],"quietHours":{"from":0,"to":1439,"timeZone":"Middle/Earth"}}"#
        let preferences = try JSONDecoder().decode(AlertPreferences.self, from: Data(json.utf8))
        #expect(preferences.muted == [.boss])
        #expect(try rings(preferences, in: .danger, at: "2026-01-15T12:00:00Z"))
        #expect(!AlertPreferences.QuietHours.knows(timeZone: "Middle/Earth"))
        #expect(AlertPreferences.QuietHours.knows(timeZone: "America/Sao_Paulo"))
        let encoded = try JSONDecoder().decode(AlertPreferences.self, from: JSONEncoder().encode(preferences))
        #expect(encoded == preferences)
    }
}

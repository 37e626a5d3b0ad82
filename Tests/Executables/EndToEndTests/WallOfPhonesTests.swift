import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The page of phones as a visitor sees it, in a real browser, while the real programs play.
    @Suite struct WallOfPhonesTests {
        /// What can be seen of one phone.
        private struct Phone: Decodable {
            let label: String
            let lang: String
            let island: String
            let islandText: String
            let watchText: String
            let isOffline: Bool
            let isLive: Bool
            let cards: [Card]

            func card(_ status: String) -> Card? { cards.first { $0.status == status } }
        }

        private struct Card: Decodable {
            let activity: String
            let status: String
            let event: String
            let levels: [String]
        }

        /// The figures above the phones.
        private struct Figures: Decodable {
            let pushes: Int
            let refused: Int
            let violations: Int
        }

        private static let phonesScript = """
            return [...document.querySelectorAll(".phone")].map((phone) => {
              const text = (selector) => phone.querySelector(selector).innerText;
              return {
                label: phone.dataset.label,
                lang: phone.querySelector(".screen").lang,
                island: phone.dataset.island,
                islandText: text(".island"),
                watchText: text(".watch"),
                isOffline: phone.classList.contains("offline"),
                isLive: document.getElementById("link").classList.contains("live"),
                cards: [...phone.querySelectorAll(".card")].map((card) => ({
                  activity: card.dataset.activity,
                  status: card.dataset.status,
                  event: card.querySelector(".event").textContent,
                  levels: [...card.querySelectorAll(".level")].map((level) => level.textContent),
                })),
              };
            });
            """
        private static let figuresScript = """
            const number = (name) => Number(
              [...document.querySelectorAll("#figures dt")].find((dt) => dt.textContent === name)
                .nextElementSibling.textContent,
            );
            return {
              pushes: number("priority 10") + number("priority 5"),
              refused: number("refused"),
              violations: number("violations"),
            };
            """

        private static func phone(_ label: String, in browser: Browser) async throws -> Phone? {
            let phones: [Phone] = try await browser.run(phonesScript)
            return phones.first { $0.label == label }
        }

        private static func startDemo(_ options: String..., in world: World, on server: World.Server) async throws
            -> RunningProgram
        {
            let tokenFile = try await world.createOperator("demo", role: "admin")
            let built = try #require(Bundle.main.executableURL).deletingLastPathComponent()
            return try world.start(
                "rangers-demo",
                [
                    "--server", server.url.absoluteString, "--simulator", world.simulatorURL.absoluteString,
                    "--rangersctl", built.appending(path: "rangersctl").path(percentEncoded: false),
                    "--operator-token-file", tokenFile.path(percentEncoded: false),
                ] + options,
                environment: [:]
            )
        }

        @Test func `a visitor sees a party play, and an alert opens the island in the phone's language`() async throws {
            try await World.with { world in
                let server = try await world.startServer()
                try await Browser.with(world, at: world.simulatorURL) { browser in
                    let empty: String = try await eventually("the empty page") {
                        let text: String = try await browser.run("return document.getElementById('wall').innerText;")
                        return text.isEmpty ? nil : text
                    }
                    #expect(empty.contains("No phones yet") && empty.contains("deploy/demo"))

                    let demo = try await Self.startDemo("--once", in: world, on: server)
                    var levels: Set<[String]> = []
                    var events: Set<String> = []
                    let alerted = try await eventually("an alert on a Korean phone", within: .seconds(120)) {
                        let mina = try await Self.phone("Mina", in: browser)
                        guard let mina, let card = mina.card("active") else { return nil as Phone? }
                        levels.insert(card.levels)
                        events.insert(card.event)
                        return mina.island == "expanded" && levels.count > 1 && events.count > 1 ? mina : nil
                    }
                    #expect(alerted.lang == "ko" && alerted.isLive)
                    let hangul = /[가-힣]/
                    #expect(alerted.islandText.contains(hangul), "\(alerted.islandText)")
                    #expect(alerted.watchText.contains(hangul), "\(alerted.watchText)")

                    #expect(try await demo.end(within: .seconds(180)) == 0, "\(demo.output.suffix(2_000))")
                    let isOver = try await eventually("the last cards") {
                        let phones: [Phone] = try await browser.run(Self.phonesScript)
                        let cards = phones.flatMap(\.cards)
                        return phones.count == 4 && cards.count == 8 && cards.allSatisfy { $0.status == "ended" }
                            ? true : nil
                    }
                    #expect(isOver)
                    let figures: Figures = try await browser.run(Self.figuresScript)
                    #expect(figures.pushes > 10 && figures.refused == 0 && figures.violations == 0)
                }
            }
        }

        @Test func `a phone that a visitor takes offline goes stale, and a card that is swiped away is let go`()
            async throws
        {
            try await World.with { world in
                // Slow enough that the journey lasts; stale soon, so that nobody waits.
                let server = try await world.startServer([
                    "RANGERS_JOURNEY_TICK": "1s",
                    "RANGERS_CADENCE_FREQUENT_STALE_AFTER": "4s",
                    "RANGERS_CADENCE_FREQUENT_JOURNEY_STALE_AFTER": "4s",
                ])
                try await Browser.with(world, at: world.simulatorURL) { browser in
                    _ = try await Self.startDemo(in: world, on: server)
                    for label in ["Mina", "Theo"] {
                        _ = try await eventually("a push on the phone of \(label)", within: .seconds(60)) {
                            try await Self.phone(label, in: browser)?.card("active").flatMap {
                                $0.levels.isEmpty ? nil : $0
                            }
                        }
                    }

                    try await browser.press("[data-label=Theo] .swipe")
                    _ = try await eventually("no card on Theo's phone") {
                        try await Self.phone("Theo", in: browser)?.cards.isEmpty == true ? true : nil
                    }
                    try await browser.press("[data-label=Mina] .controls summary")
                    try await browser.press("[data-label=Mina] .offline-switch")
                    _ = try await eventually("Mina's phone offline") {
                        try await Self.phone("Mina", in: browser)?.isOffline == true ? true : nil
                    }
                    _ = try await eventually("a stale card on Mina's phone") {
                        try await Self.phone("Mina", in: browser).flatMap { $0.card("stale") == nil ? nil : $0 }
                    }

                    // The server has heard of it by one 410, and asks no second time while the others are still told.
                    let before = try await eventually("the 410") {
                        let figures: Figures = try await browser.run(Self.figuresScript)
                        return figures.refused > 0 ? figures : nil
                    }
                    let later = try await eventually("more pushes to the others") {
                        let figures: Figures = try await browser.run(Self.figuresScript)
                        return figures.pushes >= before.pushes + 4 ? figures : nil
                    }
                    #expect(later.refused == 1 && later.violations == 0)

                    try await browser.press("[data-label=Mina] .offline-switch")
                    _ = try await eventually("what Mina's phone has missed") {
                        let cards = try await Self.phone("Mina", in: browser)?.cards ?? []
                        return !cards.isEmpty && !cards.contains { $0.status == "stale" } ? true : nil
                    }
                }
            }
        }
    }
}

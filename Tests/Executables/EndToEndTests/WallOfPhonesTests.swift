import Foundation
import TestSupport
import Testing

extension EndToEndTests {
    /// The simulator's page in a real browser, with the real programs.
    @Suite struct WallOfPhonesTests {
        /// The visible state of a phone.
        private struct Phone: Decodable {
            let label: String
            let lang: String
            let island: String
            let islandText: String
            let watchText: String
            let isOffline: Bool
            let isLive: Bool
            let activities: [Activity]

            func activity(_ status: String) -> Activity? { activities.first { $0.status == status } }
        }

        private struct Activity: Decodable {
            let activity: String
            let status: String
            let event: String
            let names: [String]
            let levels: [String]
        }

        /// The figures at the top of the page.
        private struct Figures: Decodable {
            let pushes: Int
            let rejected: Int
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
                activities: [...phone.querySelectorAll(".activity")].map((activity) => ({
                  activity: activity.dataset.activity,
                  status: activity.dataset.status,
                  event: activity.querySelector(".event").textContent,
                  names: [...activity.querySelectorAll(".name")].map((name) => name.textContent).filter(Boolean),
                  levels: [...activity.querySelectorAll(".level")].map((level) => level.textContent),
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
              rejected: number("rejected"),
              violations: number("violations"),
            };
            """

        /// Chooses all presentations of Mina's phone and returns those that show a hero.
        private static let presentationsScript = """
            const phone = document.querySelector("[data-label=Mina]");
            const select = phone.querySelector(":scope > select");
            select.value = "all";
            select.dispatchEvent(new Event("change"));
            return [...phone.querySelectorAll("figure")]
              .filter((figure) => /\\p{Emoji_Presentation}/u.test(figure.querySelector(".stage").innerText))
              .map((figure) => figure.dataset.kind);
            """

        private static func phone(_ label: String, in browser: Browser) async throws -> Phone? {
            let phones: [Phone] = try await browser.run(phonesScript)
            return phones.first { $0.label == label }
        }

        private static func startDemo(
            _ options: String...,
            in deployment: TestDeployment,
            on server: TestDeployment.Server
        ) async throws
            -> RunningProgram
        {
            let tokenFile = try await deployment.createOperator("demo", role: "admin")
            let built = try #require(Bundle.main.executableURL).deletingLastPathComponent()
            return try deployment.start(
                "rangers-demo",
                [
                    "--server", server.url.absoluteString, "--simulator", deployment.simulatorURL.absoluteString,
                    "--rangersctl", built.appending(path: "rangersctl").path(percentEncoded: false),
                    "--operator-token-file", tokenFile.path(percentEncoded: false),
                    "--standard-refill", "\(TestDeployment.standardRefill)",
                ] + options,
                environment: [:]
            )
        }

        @Test func `the page shows a party's game, and an alert expands the island in the phone's language`()
            async throws
        {
            try await TestDeployment.with { deployment in
                let server = try await deployment.startServer()
                try await Browser.with(deployment, at: deployment.simulatorURL) { browser in
                    let empty: String = try await eventually("the empty page") {
                        let text: String = try await browser.run("return document.getElementById('wall').innerText;")
                        return text.isEmpty ? nil : text
                    }
                    #expect(empty.contains("No phones yet") && empty.contains("deploy/demo"))

                    let demo = try await Self.startDemo("--once", in: deployment, on: server)
                    var levels: Set<[String]> = []
                    var events: Set<String> = []
                    let alerted = try await eventually("an alert on a Korean phone", within: .seconds(120)) {
                        let mina = try await Self.phone("Mina", in: browser)
                        guard let mina, let activity = mina.activity("active") else { return nil as Phone? }
                        levels.insert(activity.levels)
                        events.insert(activity.event)
                        return mina.island == "expanded" && levels.count > 1 && events.count > 1 ? mina : nil
                    }
                    #expect(alerted.lang == "ko" && alerted.isLive)
                    let hangul = /[가-힣]/
                    #expect(alerted.islandText.contains(hangul), "\(alerted.islandText)")
                    // The app has started the activity with its hero's level, experience and power.
                    #expect(alerted.islandText.contains("레벨"), "\(alerted.islandText)")
                    #expect(alerted.watchText.contains(hangul), "\(alerted.watchText)")
                    let names = alerted.activity("active")?.names ?? []
                    #expect(names.count >= 4 && names.allSatisfy { $0.contains(hangul) }, "\(names)")

                    #expect(try await demo.end(within: .seconds(180)) == 0, "\(demo.output.suffix(2_000))")
                    let isOver = try await eventually("the ended activities") {
                        let phones: [Phone] = try await browser.run(Self.phonesScript)
                        let activities = phones.flatMap(\.activities)
                        return phones.count == 5 && activities.count == 8
                            && activities.allSatisfy { $0.status == "ended" }
                            ? true : nil
                    }
                    #expect(isOver)
                    let presentations: [String] = try await browser.run(Self.presentationsScript)
                    let drawn = ["lock-screen", "compact", "minimal", "expanded", "landscape", "standby", "small"]
                    #expect(presentations == drawn)
                    let figures: Figures = try await browser.run(Self.figuresScript)
                    #expect(figures.pushes > 10 && figures.rejected == 0 && figures.violations == 0)
                }
            }
        }

        @Test func `an offline phone becomes stale, and a swiped-away activity gets no more pushes`()
            async throws
        {
            try await TestDeployment.with { deployment in
                // The ticks are slow, for a long journey; the stale dates are early, for a short test.
                let server = try await deployment.startServer([
                    "RANGERS_JOURNEY_TICK": "1s",
                    "RANGERS_CADENCE_FREQUENT_STALE_AFTER": "4s",
                    "RANGERS_CADENCE_FREQUENT_JOURNEY_STALE_AFTER": "4s",
                ])
                try await Browser.with(deployment, at: deployment.simulatorURL) { browser in
                    _ = try await Self.startDemo(in: deployment, on: server)
                    for label in ["Mina", "Theo"] {
                        _ = try await eventually("a push on the phone of \(label)", within: .seconds(60)) {
                            try await Self.phone(label, in: browser)?.activity("active").flatMap {
                                $0.levels.isEmpty ? nil : $0
                            }
                        }
                    }

                    try await browser.press("[data-label=Theo] .swipe")
                    _ = try await eventually("no activity on Theo's phone") {
                        try await Self.phone("Theo", in: browser)?.activities.isEmpty == true ? true : nil
                    }
                    try await browser.press("[data-label=Mina] .controls summary")
                    try await browser.press("[data-label=Mina] .offline-switch")
                    _ = try await eventually("Mina's phone offline") {
                        try await Self.phone("Mina", in: browser)?.isOffline == true ? true : nil
                    }
                    _ = try await eventually("a stale activity on Mina's phone") {
                        try await Self.phone("Mina", in: browser).flatMap { $0.activity("stale") == nil ? nil : $0 }
                    }

                    // After one 410, the server sends no more pushes to the token and keeps updating the others.
                    let before = try await eventually("the 410") {
                        let figures: Figures = try await browser.run(Self.figuresScript)
                        return figures.rejected > 0 ? figures : nil
                    }
                    let later = try await eventually("more pushes to the others") {
                        let figures: Figures = try await browser.run(Self.figuresScript)
                        return figures.pushes >= before.pushes + 4 ? figures : nil
                    }
                    #expect(later.rejected == 1 && later.violations == 0)

                    try await browser.press("[data-label=Mina] .offline-switch")
                    _ = try await eventually("the state that Mina's phone has missed") {
                        let activities = try await Self.phone("Mina", in: browser)?.activities ?? []
                        return !activities.isEmpty && !activities.contains { $0.status == "stale" } ? true : nil
                    }
                }
            }
        }
    }
}

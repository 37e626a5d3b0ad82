import Foundation
import GameCore
import RangersClient
import SimulatedPlayers
import TestSupport
import Testing

extension EndToEndTests {
    /// The actions of a user on the simulator's page, in a real browser.
    @Suite struct PageTests {
        /// Adds a phone and returns its identifier.
        private static func addPhone(
            _ label: String,
            locale: String = "en",
            in deployment: TestDeployment
        ) async throws -> UUID {
            try await SimulatorClient(at: deployment.simulatorURL)
                .addPhone(label: label, locale: locale, frequentPushesEnabled: true)
        }

        /// Waits until the page follows the simulator's events.
        private static func waitUntilLive(_ browser: Browser) async throws {
            _ = try await eventually("the live page") { try await text("#link.live", in: browser) }
        }

        private static func text(_ selector: String, in browser: Browser) async throws -> String? {
            try await browser.run("return document.querySelector('\(selector)')?.innerText ?? null;")
        }

        /// Opens a push in the log, and waits until the page explains it.
        /// - Parameters:
        ///   - status: the status of the simulator's response to the page's request for decisions.
        ///   - body: the body of that response.
        ///   - explanation: the expected text.
        ///   - browser: the browser with the page.
        /// - Throws: ``TimeLimitExceeded`` without the expected text.
        private static func openPush(
            whenDecisionsAre status: Int,
            _ body: String,
            expecting explanation: Regex<Substring>,
            in browser: Browser
        ) async throws {
            let _: Bool? = try await browser.run(
                """
                window.realFetch ??= window.fetch;
                window.fetch = (path, options) => path.endsWith("/decisions")
                  ? Promise.resolve(new Response('\(body)', { status: \(status) }))
                  : window.realFetch(path, options);
                """
            )
            // The newest entry may be a push to widgets, which has no decisions.
            let _: Bool? = try await browser.run(
                """
                const entries = [...document.querySelectorAll("#log details:not([open])")];
                entries.find((entry) => entry.querySelector(".what").textContent === "update").open = true;
                """
            )
            _ = try await eventually("the explanation") {
                try await text("#log", in: browser).flatMap { $0.contains(explanation) ? $0 : nil }
            }
        }

        @Test func `a user attaches a player to a phone by an invite code, and detaches it`() async throws {
            try await TestDeployment.with(withGame: true) { deployment in
                let server = try await deployment.startServer()
                let rangers = RangersServer(at: server.url)
                let leader = rangers.player(with: try await rangers.register("Leader", playing: "boulder").token)
                let party = try await leader.createParty(named: "By the page")
                _ = try await Self.addPhone("Mina", in: deployment)
                try await Browser.with(deployment, at: deployment.simulatorURL) { browser in
                    _ = try await eventually("the phone") { try await Self.text("[data-label=Mina]", in: browser) }
                    try await browser.press("[data-label=Mina] .controls summary")
                    _ = try await eventually("the control") {
                        try await browser.run(
                            "return document.querySelector('[data-label=Mina] .player').hidden ? null : true;"
                        ) as Bool?
                    }
                    try await browser.type("00000000", into: "[data-label=Mina] [name=inviteCode]")
                    try await browser.press("[data-label=Mina] .join button")
                    let message = try await eventually("the error message") {
                        let text = try await Self.text("[data-label=Mina] .player .error", in: browser) ?? ""
                        return text.isEmpty ? nil : text
                    }
                    #expect(message.localizedCaseInsensitiveContains("invite code"), "\(message)")
                    let isMarked: Bool = try await browser.run(
                        """
                        const field = document.activeElement;
                        return field.name === "inviteCode" && field.getAttribute("aria-invalid") === "true";
                        """
                    )
                    #expect(isMarked)
                    let _: Bool? = try await browser.run(
                        "document.querySelector('[data-label=Mina] [name=inviteCode]').value = '';"
                    )
                    try await browser.type("\(party.inviteCode)", into: "[data-label=Mina] [name=inviteCode]")
                    try await browser.press("[data-label=Mina] .join button")
                    let who = try await eventually("the player") {
                        let text = try await Self.text("[data-label=Mina] .player-name", in: browser) ?? ""
                        return text.isEmpty ? nil : text
                    }
                    #expect(who == "Mina plays here with 🐳 Spouty")
                    #expect(try await leader.party(party.partyID).members.map(\.displayName) == ["Leader", "Mina"])

                    try await browser.press("[data-label=Mina] .player > div button")
                    _ = try await eventually("the party without the player") {
                        try await leader.party(party.partyID).members.count == 1 ? true : nil
                    }
                }
            }
        }

        @Test func `an empty page fits a narrow window, and the keyboard focus is visible and in order`()
            async throws
        {
            struct Focus: Decodable {
                let name: String
                let isVisible: Bool
            }

            try await TestDeployment.with { deployment in
                try await Browser.with(deployment, at: deployment.simulatorURL) { browser in
                    try await browser.resize(to: 360)
                    _ = try await eventually("the empty state") { try await Self.text(".empty h2", in: browser) }
                    let widths: [Int] = try await browser.run(
                        "const page = document.documentElement; return [page.scrollWidth, page.clientWidth];"
                    )
                    #expect(widths[0] == widths[1] && widths[0] <= 360, "\(widths)")
                    var names: [String] = []
                    for _ in 0..<9 {
                        try await browser.pressTab()
                        let focus: Focus = try await browser.run(
                            """
                            const element = document.activeElement, box = element.getBoundingClientRect();
                            const style = getComputedStyle(element);
                            return {
                              name: element.name || element.id || element.textContent.trim(),
                              isVisible: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
                                && box.width > 0 && box.left >= 0 && box.right <= innerWidth,
                            };
                            """
                        )
                        #expect(focus.isVisible, "\(focus.name)")
                        names.append(focus.name)
                    }
                    #expect(
                        names == [
                            "Simulator API", "label", "model", "owner", "locale", "frequent", "Add a phone", "sound",
                            "Faults",
                        ]
                    )
                }
            }
        }

        @Test func `the page shows the party's invite code and marks the decision that sent a push`() async throws {
            try await TestDeployment.with(withGame: true) { deployment in
                let server = try await deployment.startServer()
                _ = try await deployment.createOperator(TestDeployment.pageOperator, role: "viewer")
                let simulator = SimulatorClient(at: deployment.simulatorURL)
                let player = try await SimulatedPlayer.register(as: PlayerRole.cast[0], at: server.url, with: simulator)
                let party = try await StoryParty.gather([player], named: "By the code")
                let journey = try await party.startJourney(in: "meadow")
                try await Browser.with(deployment, at: deployment.simulatorURL) { browser in
                    let parties = try await eventually("the party") {
                        let text = try await Self.text("#parties", in: browser) ?? ""
                        return text.isEmpty ? nil : text
                    }
                    #expect(parties.contains("By the code") && parties.contains("1 of 8 members"), "\(parties)")
                    #expect(parties.contains("on an adventure") && !parties.contains("rangersctl"), "\(parties)")
                    let link: String = try await browser.run("return document.querySelector('#links a').href;")
                    #expect(link == server.url.appending(path: "docs").absoluteString)

                    _ = try await eventually("a push") { try await Self.text("#log summary", in: browser) }
                    try await browser.press("#log summary")
                    let marked = try await eventually("the decision") {
                        try await Self.text("#log .sending", in: browser)
                    }
                    #expect(marked.contains("Sent at priority") && marked.hasSuffix("← this push"), "\(marked)")

                    try await party.play(journey, within: .seconds(120))
                    let idle = try await eventually("the command for the idle party") {
                        try await Self.text("#parties", in: browser).flatMap { $0.contains("rangersctl") ? $0 : nil }
                    }
                    let command =
                        "rangersctl boss start \(BossCatalogue.all[0].id) --invite-code \(party.inviteCode) "
                        + "--server \(server.url.absoluteString)"
                    #expect(idle.contains("idle") && idle.contains(command), "\(idle)")

                    // The server has evicted the decision, then the page has lost its access.
                    let decision = #"{"at":"2999-01-01T00:00:00Z","decision":"sent","trigger":"","action":""}"#
                    try await Self.openPush(
                        whenDecisionsAre: 200,
                        #"{"decisions":[\#(decision)]}"#,
                        expecting: /no longer kept/,
                        in: browser
                    )
                    try await Self.openPush(
                        whenDecisionsAre: 409,
                        #"{"type":"no-operator","title":"No operator token"}"#,
                        expecting: /rangersctl activity explain \S+ --server http:/,
                        in: browser
                    )
                }
            }
        }

        @Test func `the page shows a broadcast's alert on each phone, and injects faults into channel management`()
            async throws
        {
            try await TestDeployment.with { deployment in
                let simulator = SimulatorClient(at: deployment.simulatorURL)
                let sender = try await Sender(in: deployment)
                try await Browser.with(deployment, at: deployment.simulatorURL) { browser in
                    try await Self.waitUntilLive(browser)
                    try await browser.press("#faults summary")
                    try await browser.type("503", into: "#fault-form [name=choice]")
                    try await browser.type("channel management", into: "#fault-form [name=endpoint]")
                    let _: Bool? = try await browser.run(
                        "document.querySelector('#fault-form [name=pushes]').value = 1;"
                    )
                    try await browser.press("#fault-form .buttons button")
                    _ = try await eventually("the fault") {
                        try await Self.text("#fault-list", in: browser)?.contains("at channel management: hit 0 of 1")
                            == true
                            ? true : nil
                    }
                    #expect(try await sender.createChannel().contains("503"))
                    _ = try await eventually("the rejected request") {
                        try await Self.text("#fault-list", in: browser)?.contains("at channel management: hit 1 of 1")
                            == true
                            ? true : nil
                    }

                    // A busy browser: it draws everything that follows in one frame.
                    let _: Bool? = try await browser.run(
                        """
                        window.frames = [];
                        window.draw = window.requestAnimationFrame.bind(window);
                        window.requestAnimationFrame = (callback) => window.frames.push(callback);
                        """
                    )
                    let response = try await sender.createChannel()
                    let channel = try #require(response.firstMatch(of: /apns-channel-id: (\S+)/)?.1, "\(response)")
                    for (label, locale) in [("Mina", "ko"), ("Theo", "en")] {
                        let phoneID = try await Self.addPhone(label, locale: locale, in: deployment)
                        try await sender.follow(String(channel), on: phoneID)
                    }
                    #expect(try await sender.broadcast(to: String(channel)).contains("200"))
                    let _: Bool? = try await browser.run(
                        "window.requestAnimationFrame = window.draw; window.frames.forEach((draw) => draw());"
                    )
                    let watches = try await eventually("the alert on both watches") {
                        let watches: [String] = try await browser.run(
                            "return [...document.querySelectorAll('.watch')].map((watch) => watch.innerText);"
                        )
                        return watches.count == 2 && watches.allSatisfy { $0.contains("Spouty") } ? watches : nil
                    }
                    #expect(watches[0].contains(/[가-힣]/) && watches[1].contains("Spouty is down!"))
                    let announcements = try await eventually("the announcements for screen readers") {
                        let announcements: [String] = try await browser.run(
                            "return [...document.querySelectorAll('#announcements p')].map((line) => line.textContent);"
                        )
                        return announcements.count == 2 ? announcements : nil
                    }
                    #expect(announcements[0].hasPrefix("Mina: ") && announcements[1].hasPrefix("Theo: Spouty is down!"))
                    // The push follows the phones on the stream.
                    let log = try await eventually("the push in the log") {
                        try await Self.text("#log", in: browser).flatMap { $0.contains("a channel") ? $0 : nil }
                    }
                    #expect(log.contains("2 shown"), "\(log)")
                    let alerts: String = try await browser.run(
                        """
                        return [...document.querySelectorAll("#figures dt")].find((dt) => dt.textContent === "alerts")
                          .nextElementSibling.textContent;
                        """
                    )
                    #expect(alerts == "1")
                    #expect(try await simulator.violations().map(\.detail) == [])

                    let idle: [String] = try await browser.run(
                        "return [...document.querySelectorAll('.phone .idle')].map((line) => line.textContent);"
                    )
                    #expect(idle == ["실시간 현황 없음", "No Live Activity"])
                    // A wider window makes no phone narrower, with two of them or with eight.
                    for copies in [0, 6] {
                        var widths: [Double] = []
                        for window in [1_400, 1_920] {
                            try await browser.resize(to: window)
                            widths.append(
                                try await browser.run(
                                    """
                                    const phone = document.querySelector('.phone');
                                    const copies = [...Array(\(copies))].map(() => phone.cloneNode(true));
                                    phone.parentElement.append(...copies);
                                    const { width } = phone.getBoundingClientRect();
                                    for (const copy of copies) copy.remove();
                                    return width;
                                    """
                                )
                            )
                        }
                        #expect(widths[1] >= widths[0], "\(widths)")
                    }
                }
            }
        }
    }

    /// A sender of broadcasts: curl.
    private struct Sender {
        private let deployment: TestDeployment
        private let providerToken: String

        init(in deployment: TestDeployment) async throws {
            let (status, output) = try await deployment.run(
                "apns-simulator",
                "make-token",
                "--key-file",
                deployment.environment["RANGERS_APNS_KEY_FILE"] ?? "",
                "--key-id",
                TestDeployment.keyID,
                "--team-id",
                TestDeployment.teamID,
                environment: [:]
            )
            guard status == 0 else { throw TimeLimitExceeded(description: output) }
            self.deployment = deployment
            providerToken = output.trimmingCharacters(in: .whitespacesAndNewlines)
        }

        /// Creates a broadcast channel.
        /// - Returns: the response with its status and headers.
        func createChannel() async throws -> String {
            let body = #"{"message-storage-policy":0,"push-type":"LiveActivity"}"#
            return try await ask("\(deployment.channelsPort)", "/1/apps/\(TestDeployment.bundleID)/channels", [], body)
        }

        /// Starts an activity that follows a channel.
        func follow(_ channel: String, on phoneID: UUID) async throws {
            let id = UUID()
            let url = deployment.simulatorURL.appending(path: "api/phones/\(phoneID)/activities")
            let body = #"{"activityID":"\#(id)","adventureID":"\#(id)","channelID":"\#(channel)"}"#
            let response = try await curl(["--data", body, url.absoluteString])
            guard response.contains("pushToken") else { throw TimeLimitExceeded(description: response) }
        }

        /// Sends an update with an alert to a channel.
        /// - Returns: the response with its status and headers.
        func broadcast(to channel: String) async throws -> String {
            let now = Int(Date().timeIntervalSince1970)
            let sentence = #"{"loc-key":"%@ is down!","loc-args":["Spouty"]}"#
            let payload = #"""
                {"aps":{"timestamp":\#(now),"event":"update","stale-date":\#(now + 600),"content-state":{"heroes":[],\#
                "event":{"key":"%@ is down!","args":["Spouty"]},"tick":1,"sequence":1,"currentHealthLevel":0,\#
                "eventDescription":"Spouty is down!"},\#
                "alert":{"title":\#(sentence),"body":\#(sentence),"sound":"hero-down.wav"}}}
                """#
            let headers = [
                "apns-channel-id: \(channel)", "apns-push-type: liveactivity", "apns-priority: 10",
                "apns-expiration: 0",
            ]
            let port = deployment.environment["RANGERS_APNS_PORT"] ?? ""
            return try await ask(port, "/4/broadcasts/apps/\(TestDeployment.bundleID)", headers, payload)
        }

        private func ask(_ port: String, _ path: String, _ headers: [String], _ body: String) async throws -> String {
            let all = headers + ["authorization: bearer \(providerToken)"]
            let authority = deployment.environment["RANGERS_APNS_CA_FILE"] ?? ""
            return try await curl(
                ["--http2", "--cacert", authority, "--dump-header", "-", "--data", body]
                    + all.flatMap { ["--header", $0] } + ["https://127.0.0.1:\(port)\(path)"]
            )
        }

        private func curl(_ arguments: [String]) async throws -> String {
            let curl = try deployment.startSystemProgram(
                "/usr/bin/curl",
                ["--silent", "--show-error", "--noproxy", "*", "--max-time", "30"] + arguments,
                environment: [:]
            )
            guard try await curl.end(within: .seconds(40)) == 0 else {
                throw TimeLimitExceeded(description: curl.output)
            }
            return curl.output
        }
    }
}

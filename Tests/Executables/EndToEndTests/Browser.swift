import Foundation
import TestSupport

/// A browser that a test drives: Debian's Chromium, by the WebDriver protocol of its chromedriver (W3C, "WebDriver").
struct Browser: Sendable {
    /// The name that the protocol gives to the reference of an element.
    private static let elementKey = "element-6066-11e4-a52e-4f735466cecf"

    private let world: World
    private let session: URL

    /// Opens a page, and closes the browser when the test is over.
    static func with(_ world: World, at page: URL, _ test: (Browser) async throws -> Void) async throws {
        // A home of its own, which goes with the test; unlike ours, Chromium's programs want its name in plain letters.
        let home = FileManager.default.temporaryDirectory.appending(path: "rangers-browser-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let path = home.path(percentEncoded: false)
        let browser = try await Browser(in: world, port: try await port(ofDriverIn: world, home: path))
        do {
            try await browser.open(page)
            try await test(browser)
        } catch {
            try await browser.close()
            throw error
        }
        try await browser.close()
    }

    /// Starts chromedriver.
    ///
    /// It lets the kernel choose a port of IPv6 and wants the same one of IPv4, which another test's server may have by then:
    /// it ends, and is started once more.
    private static func port(ofDriverIn world: World, home: String) async throws -> Int {
        func start() throws -> RunningProgram {
            try world.startSystemProgram(
                "/usr/bin/chromedriver",
                ["--port=0"],
                environment: ["PATH": "/usr/bin:/bin", "HOME": home, "TMPDIR": home]
            )
        }
        var driver = try start()
        return try await eventually("chromedriver's port") {
            if driver.exitStatus != nil {
                guard driver.output.contains("Address already in use") else {
                    throw TimeLimitExceeded(description: driver.output)
                }
                driver = try start()
            }
            return driver.output.firstMatch(of: /started successfully on port (\d+)/).flatMap { Int($0.1) }
        }
    }

    private init(in world: World, port: Int) async throws {
        struct Options: Encodable {
            // Root, as which tests may run, has no sandbox; a small /dev/shm, as containers have, is no place for pages.
            let args = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,1400"]
            let binary = "/usr/bin/chromium"
        }
        struct Capabilities: Encodable {
            enum CodingKeys: String, CodingKey {
                case options = "goog:chromeOptions"
            }

            let options = Options()
        }
        struct NewSession: Encodable {
            let capabilities = ["alwaysMatch": Capabilities()]
        }
        struct Session: Decodable {
            let sessionId: String
        }
        guard let driver = URL(string: "http://127.0.0.1:\(port)/session") else {
            preconditionFailure("a port is a number")
        }
        let opened: Session = try await Self.send("POST", driver, NewSession(), in: world)
        self.world = world
        session = driver.appending(path: opened.sessionId)
    }

    private func open(_ page: URL) async throws {
        let _: Nothing = try await Self.send(
            "POST",
            session.appending(path: "url"),
            ["url": page.absoluteString],
            in: world
        )
    }

    private func close() async throws {
        let _: Nothing = try await Self.send("DELETE", session, nil as [String: String]?, in: world)
    }

    /// Runs a script in the page.
    /// - Returns: what the script returns.
    func run<Value: Decodable>(_ script: String) async throws -> Value {
        try await Self.send("POST", session.appending(path: "execute/sync"), Script(script: script), in: world)
    }

    /// Goes to a button, a switch or the like and presses the space bar, as people without a mouse do.
    ///
    /// It fails when the element is not to be seen. A click would need it to stand still meanwhile, which nothing does
    /// beneath cards that grow.
    func press(_ selector: String) async throws {
        try await type(" ", into: selector)
    }

    /// Goes to a field and types; it fails when the field is not to be seen.
    func type(_ text: String, into selector: String) async throws {
        let found: [String: String] = try await Self.send(
            "POST",
            session.appending(path: "element"),
            ["using": "css selector", "value": selector],
            in: world
        )
        guard let element = found[Self.elementKey] else {
            throw TimeLimitExceeded(description: "no element in \(found)")
        }
        let path = session.appending(path: "element").appending(path: element).appending(path: "value")
        let _: Nothing = try await Self.send("POST", path, ["text": text], in: world)
    }

    /// Presses the tab key, as people do who go from control to control.
    func pressTab() async throws {
        // The key's name in the protocol ("17.4.2 Keyboard Actions").
        let tab = "\u{E004}"
        let presses = ["keyDown", "keyUp"].map { ["type": $0, "value": tab] }
        let source = KeySource(actions: presses)
        let _: Nothing = try await Self.send(
            "POST",
            session.appending(path: "actions"),
            ["actions": [source]],
            in: world
        )
    }

    /// Makes the page as wide as a phone, which no window can be.
    func narrow(to width: Int) async throws {
        let command = DevToolsCommand(
            cmd: "Emulation.setDeviceMetricsOverride",
            params: .init(width: width)
        )
        let path = session.appending(path: "goog").appending(path: "cdp").appending(path: "execute")
        let _: Nothing = try await Self.send("POST", path, command, in: world)
    }

    private struct KeySource: Encodable {
        let type = "key"
        let id = "keyboard"
        let actions: [[String: String]]
    }

    private struct DevToolsCommand: Encodable {
        let cmd: String
        let params: Params

        struct Params: Encodable {
            let width: Int
            let height = 800
            let deviceScaleFactor = 1
            let mobile = false
        }
    }

    private struct Script: Encodable {
        let script: String
        let args: [String] = []
    }

    /// What has no value: `null`.
    private struct Nothing: Decodable {
        init(from decoder: any Decoder) {}
    }

    private struct Answer<Value: Decodable>: Decodable {
        let value: Value
    }

    /// Sends a request with curl: `URLSession` on Linux fails on chromedriver's answers ("Failed writing header").
    private static func send<Value: Decodable>(
        _ method: String,
        _ url: URL,
        _ body: (some Encodable)?,
        in world: World
    ) async throws -> Value {
        let data = try body.map { ["--data", String(decoding: try JSONEncoder().encode($0), as: UTF8.self)] } ?? []
        let curl = try world.startSystemProgram(
            "/usr/bin/curl",
            ["--silent", "--show-error", "--fail-with-body", "--noproxy", "*", "--max-time", "60", "--request", method]
                + data + [url.absoluteString],
            environment: [:]
        )
        guard try await curl.end(within: .seconds(70)) == 0 else { throw TimeLimitExceeded(description: curl.output) }
        return try JSONDecoder().decode(Answer<Value>.self, from: Data(curl.output.utf8)).value
    }
}

import Foundation
import TestSupport

/// A browser for tests: Debian's Chromium, driven over the WebDriver protocol of its chromedriver (W3C, "WebDriver").
struct Browser: Sendable {
    /// The protocol's key for references to elements.
    private static let elementKey = "element-6066-11e4-a52e-4f735466cecf"

    private let deployment: TestDeployment
    private let session: URL

    /// Opens a page for a test and closes the browser afterwards.
    static func with(_ deployment: TestDeployment, at page: URL, _ test: (Browser) async throws -> Void) async throws {
        // A temporary home directory. Unlike the test's directory, its path is plain ASCII, as Chromium requires, and short:
        // Chromium has a socket in a folder of it, whose path has at most 108 bytes.
        let home = FileManager.default.temporaryDirectory.appending(path: "rangers-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: home) }
        let path = home.path(percentEncoded: false)
        let browser = try await Browser(in: deployment, port: try await port(ofDriverIn: deployment, home: path))
        do {
            try await browser.open(page)
            try await test(browser)
        } catch {
            try await browser.close()
            throw error
        }
        try await browser.close()
    }

    /// Starts chromedriver and returns its port.
    ///
    /// chromedriver lets the kernel choose an IPv6 port and then needs the same IPv4 port, which another test's server
    /// may have taken; it then exits and is started again.
    private static func port(ofDriverIn deployment: TestDeployment, home: String) async throws -> Int {
        func start() throws -> RunningProgram {
            try deployment.startSystemProgram(
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

    private init(in deployment: TestDeployment, port: Int) async throws {
        struct Options: Encodable {
            // Chromium has no sandbox for root, and the /dev/shm of containers is too small.
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
        let opened: Session = try await Self.send("POST", driver, NewSession(), in: deployment)
        self.deployment = deployment
        session = driver.appending(path: opened.sessionId)
    }

    private func open(_ page: URL) async throws {
        let _: Null = try await Self.send(
            "POST",
            session.appending(path: "url"),
            ["url": page.absoluteString],
            in: deployment
        )
    }

    private func close() async throws {
        let _: Null = try await Self.send("DELETE", session, nil as [String: String]?, in: deployment)
    }

    /// Runs a script in the page.
    /// - Returns: the script's result.
    func run<Value: Decodable>(_ script: String) async throws -> Value {
        try await Self.send("POST", session.appending(path: "execute/sync"), Script(script: script), in: deployment)
    }

    /// Focuses an element and presses the space bar, as keyboard users do.
    ///
    /// Fails for an invisible element. A click would require an element that does not move, but the growing activities
    /// move everything below them.
    func press(_ selector: String) async throws {
        try await type(" ", into: selector)
    }

    /// Focuses a field and types; fails for an invisible field.
    func type(_ text: String, into selector: String) async throws {
        let response: [String: String] = try await Self.send(
            "POST",
            session.appending(path: "element"),
            ["using": "css selector", "value": selector],
            in: deployment
        )
        guard let element = response[Self.elementKey] else {
            throw TimeLimitExceeded(description: "no element in \(response)")
        }
        let path = session.appending(path: "element").appending(path: element).appending(path: "value")
        let _: Null = try await Self.send("POST", path, ["text": text], in: deployment)
    }

    /// Presses the tab key.
    func pressTab() async throws {
        // The key's code in the protocol ("17.4.2 Keyboard Actions").
        let tab = "\u{E004}"
        let presses = ["keyDown", "keyUp"].map { ["type": $0, "value": tab] }
        let source = KeySource(actions: presses)
        let _: Null = try await Self.send(
            "POST",
            session.appending(path: "actions"),
            ["actions": [source]],
            in: deployment
        )
    }

    /// Emulates a page width, which can be smaller than any window.
    func resize(to width: Int) async throws {
        let command = DevToolsCommand(
            cmd: "Emulation.setDeviceMetricsOverride",
            params: .init(width: width)
        )
        let path = session.appending(path: "goog").appending(path: "cdp").appending(path: "execute")
        let _: Null = try await Self.send("POST", path, command, in: deployment)
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

    /// A null value.
    private struct Null: Decodable {
        init(from decoder: any Decoder) {}
    }

    private struct Response<Value: Decodable>: Decodable {
        let value: Value
    }

    /// Sends a request with curl: `URLSession` on Linux fails on chromedriver's responses ("Failed writing header").
    private static func send<Value: Decodable>(
        _ method: String,
        _ url: URL,
        _ body: (some Encodable)?,
        in deployment: TestDeployment
    ) async throws -> Value {
        let data = try body.map { ["--data", String(decoding: try JSONEncoder().encode($0), as: UTF8.self)] } ?? []
        let curl = try deployment.startSystemProgram(
            "/usr/bin/curl",
            ["--silent", "--show-error", "--fail-with-body", "--noproxy", "*", "--max-time", "60", "--request", method]
                + data + [url.absoluteString],
            environment: [:]
        )
        guard try await curl.end(within: .seconds(70)) == 0 else { throw TimeLimitExceeded(description: curl.output) }
        return try JSONDecoder().decode(Response<Value>.self, from: Data(curl.output.utf8)).value
    }
}

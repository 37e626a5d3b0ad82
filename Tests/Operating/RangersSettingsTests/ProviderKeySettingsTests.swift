import APNsClient
import Foundation
import HTTP2Transport
import RangersSettings
import Testing

@Suite struct ProviderKeySettingsTests {
    private static let apple = [
        "RANGERS_DATABASE_URL": "postgresql:///rangers",
        "RANGERS_APNS_ENVIRONMENT": "sandbox, production",
        "RANGERS_APNS_KEY_FILE": "one.p8",
        "RANGERS_APNS_KEY_ID": "ABCDE12345",
        "RANGERS_APNS_TEAM_ID": "TEAM012345",
        "RANGERS_APNS_BUNDLE_ID": "com.example.emoji-rangers",
    ]

    private func routes(_ more: [String: String] = [:]) throws(SettingsError) -> [APNsSettings.Route] {
        let sources = SettingsSources(environment: Self.apple.merging(more) { $1 }.filter { !$0.value.isEmpty })
        return try ServiceSettings(from: sources).apns?.routes ?? []
    }

    private func problems(_ more: [String: String]) -> [String] {
        do throws(SettingsError) {
            _ = try routes(more)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    /// A folder that is gone after the test.
    private func inFolder(_ test: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rangers keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try test(folder)
    }

    private func file(_ path: URL, keyID: String? = "ABCDE12345") throws -> ProviderKeyFile {
        let more = ["RANGERS_APNS_KEY_FILE": path.path(percentEncoded: false), "RANGERS_APNS_KEY_ID": keyID ?? ""]
        return try #require(try routes(more).first).key
    }

    private func writeKey(to url: URL) throws {
        try PrivateKey.generateP256().pem.write(to: url, atomically: true, encoding: .utf8)
    }

    @Test func `one key serves both environments`() throws {
        let routes = try routes()
        #expect(routes.map(\.environment) == [.production, .sandbox])
        #expect(routes.map(\.key.path) == ["one.p8", "one.p8"])
    }

    @Test func `the sandbox may have a key of its own`() throws {
        let routes = try routes([
            "RANGERS_APNS_SANDBOX_KEY_FILE": "two.p8", "RANGERS_APNS_SANDBOX_KEY_ID": "FGHIJ67890",
        ])
        #expect(routes.map(\.environment) == [.production, .sandbox])
        #expect(routes.map(\.key.path) == ["one.p8", "two.p8"])
        #expect(routes.map(\.key.keyID) == ["ABCDE12345", "FGHIJ67890"])
        #expect(routes.map(\.key.setting) == [.apnsKeyFile, .apnsSandboxKeyFile])
    }

    @Test(arguments: [
        ("RANGERS_APNS_SANDBOX_KEY_FILE", "two.p8", "RANGERS_APNS_SANDBOX_KEY_ID is missing"),
        ("RANGERS_APNS_SANDBOX_KEY_ID", "FGHIJ67890", "RANGERS_APNS_SANDBOX_KEY_FILE is missing"),
    ])
    func `half a key is none`(name: String, value: String, problem: String) {
        let found = problems([name: value])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(problem) == true)
    }

    @Test(arguments: [
        ["RANGERS_APNS_ENVIRONMENT": "simulator,sandbox"], ["RANGERS_APNS_HOST": "127.0.0.1"],
        ["RANGERS_APNS_PORT": "2197"],
    ])
    func `two environments are Apple's own, at their own places`(more: [String: String]) {
        #expect(problems(more).count == 1)
    }

    @Test func `a file that is named as Apple names it tells the key's identifier, also through a link`() throws {
        try inFolder { folder in
            let target = folder.appending(path: "AuthKey_FGHIJ67890.p8")
            let link = folder.appending(path: "provider.p8")
            try writeKey(to: target)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            for path in [target, link] {
                #expect(try file(path, keyID: nil).read().keyID == "FGHIJ67890")
                #expect(try file(path, keyID: "ABCDE12345").read().keyID == "ABCDE12345")
            }
        }
    }

    @Test(arguments: ["key.p8", "AuthKey_short.p8", "AuthKey_fghij67890.p8", "AuthKey_FGHIJ67890.pem"])
    func `any other name tells nothing`(name: String) {
        let found = problems(["RANGERS_APNS_KEY_FILE": name, "RANGERS_APNS_KEY_ID": ""])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("RANGERS_APNS_KEY_ID is missing") == true)
    }

    @Test func `a file that gives no key says why, and nothing of itself`() throws {
        try inFolder { folder in
            let path = folder.appending(path: "AuthKey_FGHIJ67890.p8")
            let missing = #expect(throws: ProviderKeyFileError.self) { try file(path).read() }
            #expect(missing?.description.hasSuffix("does not exist") == true)
            try "-----BEGIN PRIVATE KEY-----\nc2VjcmV0".write(to: path, atomically: true, encoding: .utf8)
            let broken = #expect(throws: ProviderKeyFileError.self) { try file(path).read() }
            #expect(broken?.description.hasPrefix("RANGERS_APNS_KEY_FILE: ") == true)
            #expect(broken?.description.contains("c2VjcmV0") == false)
        }
    }

    @Test func `a link that comes to point nowhere near a key's name is told`() throws {
        try inFolder { folder in
            let target = folder.appending(path: "AuthKey_FGHIJ67890.p8")
            let link = folder.appending(path: "provider.p8")
            try writeKey(to: target)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
            let file = try file(link, keyID: nil)
            try FileManager.default.removeItem(at: link)
            try writeKey(to: link)
            let error = #expect(throws: ProviderKeyFileError.self) { try file.read() }
            #expect(error?.description.contains("AuthKey_KEYID.p8") == true)
        }
    }

    @Test(arguments: [
        (0o600, nil), (0o400, nil), (0o640, nil), (0o440, nil), (0o604, "read by every user"),
        (0o644, "read by every user"), (0o660, "written by its group"), (0o666, "written by every user"),
    ])
    func `a file that others may read or change is told of, also behind a link`(mode: Int, deed: String?) throws {
        try inFolder { folder in
            let (path, link) = (folder.appending(path: "key.p8"), folder.appending(path: "link.p8"))
            try writeKey(to: path)
            try FileManager.default.setAttributes(
                [.posixPermissions: mode],
                ofItemAtPath: path.path(percentEncoded: false)
            )
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: path)
            for url in [path, link] {
                let exposure = try file(url).exposure
                #expect((exposure == nil) == (deed == nil))
                guard let exposure, let deed else { continue }
                #expect(exposure.hasPrefix("RANGERS_APNS_KEY_FILE: \(url.path(percentEncoded: false)) may be \(deed)"))
                #expect(exposure.contains("(mode \(String(mode, radix: 8)))"))
            }
        }
    }

    @Test func `another key is found once, and a bad file is told once and changes nothing`() throws {
        try inFolder { folder in
            let path = folder.appending(path: "key.p8")
            try writeKey(to: path)
            let file = try file(path)
            let first = try file.read()
            var watch = ProviderKeyWatch(using: first)
            #expect(watch.look(at: file, isAskedFor: false) == .nothing)

            let text = try String(contentsOf: path, encoding: .utf8)
            try "nonsense".write(to: path, atomically: true, encoding: .utf8)
            guard case .unusable = watch.look(at: file, isAskedFor: false) else {
                Issue.record("a bad file was not told")
                return
            }
            #expect(watch.look(at: file, isAskedFor: false) == .nothing)
            try text.write(to: path, atomically: true, encoding: .utf8)
            #expect(watch.look(at: file, isAskedFor: false) == .nothing)
            // Told again, since it was mended in between.
            try "nonsense".write(to: path, atomically: true, encoding: .utf8)
            #expect(watch.look(at: file, isAskedFor: false) != .nothing)

            // Another key under the same identifier: the setting that tells it comes with SIGHUP.
            try writeKey(to: path)
            guard case .unusable(let error) = watch.look(at: file, isAskedFor: false) else {
                Issue.record("a key without its identifier was taken")
                return
            }
            #expect(error.description.contains("send SIGHUP"))
            #expect(watch.look(at: file, isAskedFor: false) == .nothing)
            #expect(watch.look(at: file, isAskedFor: true) == .replaced(by: try file.read()))
            #expect(watch.look(at: file, isAskedFor: true) == .nothing)
        }
    }
}

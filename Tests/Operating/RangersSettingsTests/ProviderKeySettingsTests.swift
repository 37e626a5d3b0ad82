import APNsClient
import Cryptography
import Foundation
import RangersSettings
import Testing

@Suite struct ProviderKeySettingsTests {
    private static let apple = [
        "RANGERS_APNS_ENVIRONMENT": "sandbox, production",
        "RANGERS_APNS_KEY_FILE": "one.p8",
        "RANGERS_APNS_KEY_ID": "ABCDE12345",
        "RANGERS_APNS_TEAM_ID": "TEAM012345",
        "RANGERS_APNS_BUNDLE_ID": "com.example.emoji-rangers",
    ]

    private func environmentKeys(_ more: [String: String] = [:]) throws(SettingsError) -> [APNsSettings.EnvironmentKey]
    {
        let sources = SettingsSources(environment: Self.apple.merging(more) { $1 }.filter { !$0.value.isEmpty })
        return try APNsSettings(from: sources).environmentKeys
    }

    private func problems(_ more: [String: String]) -> [String] {
        do throws(SettingsError) {
            _ = try environmentKeys(more)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    /// Runs a test with a folder that is deleted afterwards.
    private func withTemporaryFolder(_ test: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rangers keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try test(folder)
    }

    private func file(_ path: URL, keyID: String? = "ABCDE12345") throws -> ProviderKeyFile {
        let more = ["RANGERS_APNS_KEY_FILE": path.path(percentEncoded: false), "RANGERS_APNS_KEY_ID": keyID ?? ""]
        return try #require(try environmentKeys(more).first).key
    }

    private func writeKey(to url: URL) throws {
        try P256PrivateKey.generate().pem.write(to: url, atomically: true, encoding: .utf8)
    }

    @Test func `one key serves both environments`() throws {
        let environmentKeys = try environmentKeys()
        #expect(environmentKeys.map(\.environment) == [.production, .sandbox])
        #expect(environmentKeys.map(\.key.path) == ["one.p8", "one.p8"])
    }

    @Test func `the sandbox may have a key of its own`() throws {
        let environmentKeys = try environmentKeys([
            "RANGERS_APNS_SANDBOX_KEY_FILE": "two.p8", "RANGERS_APNS_SANDBOX_KEY_ID": "FGHIJ67890",
        ])
        #expect(environmentKeys.map(\.environment) == [.production, .sandbox])
        #expect(environmentKeys.map(\.key.path) == ["one.p8", "two.p8"])
        #expect(environmentKeys.map(\.key.keyID) == ["ABCDE12345", "FGHIJ67890"])
        #expect(environmentKeys.map(\.key.setting) == [.apnsKeyFile, .apnsSandboxKeyFile])
    }

    @Test(arguments: [
        ("RANGERS_APNS_SANDBOX_KEY_FILE", "two.p8", "RANGERS_APNS_SANDBOX_KEY_ID is missing"),
        ("RANGERS_APNS_SANDBOX_KEY_ID", "FGHIJ67890", "RANGERS_APNS_SANDBOX_KEY_FILE is missing"),
    ])
    func `a sandbox key needs both its file and its identifier`(name: String, value: String, problem: String) {
        let found = problems([name: value])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix(problem) == true)
    }

    @Test(arguments: [
        ["RANGERS_APNS_ENVIRONMENT": "simulator,sandbox"], ["RANGERS_APNS_HOST": "127.0.0.1"],
        ["RANGERS_APNS_PORT": "2197"],
    ])
    func `two environments must be Apple's, at their own endpoints`(more: [String: String]) {
        #expect(problems(more).count == 1)
    }

    @Test func `the key identifier is read from the name that Apple gives a file, also through a link`() throws {
        try withTemporaryFolder { folder in
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
    func `any other file name requires a key identifier`(name: String) {
        let found = problems(["RANGERS_APNS_KEY_FILE": name, "RANGERS_APNS_KEY_ID": ""])
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("RANGERS_APNS_KEY_ID is missing") == true)
    }

    @Test func `an unusable key file is reported with the reason and without its content`() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "AuthKey_FGHIJ67890.p8")
            let missing = #expect(throws: ProviderKeyFileError.self) { try file(path).read() }
            #expect(missing?.description.hasSuffix("does not exist") == true)
            try "-----BEGIN PRIVATE KEY-----\nc2VjcmV0".write(to: path, atomically: true, encoding: .utf8)
            let broken = #expect(throws: ProviderKeyFileError.self) { try file(path).read() }
            #expect(broken?.description.hasPrefix("RANGERS_APNS_KEY_FILE: ") == true)
            #expect(broken?.description.contains("c2VjcmV0") == false)
        }
    }

    @Test func `a link replaced by a file without a key identifier in its name is reported`() throws {
        try withTemporaryFolder { folder in
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
        (0o600, nil), (0o400, nil), (0o640, nil), (0o440, nil), (0o604, "readable by every user"),
        (0o644, "readable by every user"), (0o660, "writable by its group"), (0o666, "writable by every user"),
    ])
    func `permissions that let others read or change the file give a warning, also behind a link`(
        mode: Int,
        access: String?
    ) throws {
        try withTemporaryFolder { folder in
            let (path, link) = (folder.appending(path: "key.p8"), folder.appending(path: "link.p8"))
            try writeKey(to: path)
            try FileManager.default.setAttributes(
                [.posixPermissions: mode],
                ofItemAtPath: path.path(percentEncoded: false)
            )
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: path)
            for url in [path, link] {
                let warning = try file(url).permissionWarning
                #expect((warning == nil) == (access == nil))
                guard let warning, let access else { continue }
                #expect(warning.hasPrefix("RANGERS_APNS_KEY_FILE: \(url.path(percentEncoded: false)) is \(access)"))
                #expect(warning.contains("(mode \(String(mode, radix: 8)))"))
            }
        }
    }

    @Test func `another key and an unusable file are each reported once`() throws {
        try withTemporaryFolder { folder in
            let path = folder.appending(path: "key.p8")
            try writeKey(to: path)
            let file = try file(path)
            let first = try file.read()
            var watch = ProviderKeyWatch(using: first)
            #expect(watch.check(file, isReloadRequested: false) == .unchanged)

            let text = try String(contentsOf: path, encoding: .utf8)
            try "nonsense".write(to: path, atomically: true, encoding: .utf8)
            guard case .unusable = watch.check(file, isReloadRequested: false) else {
                Issue.record("an unusable file was not reported")
                return
            }
            #expect(watch.check(file, isReloadRequested: false) == .unchanged)
            try text.write(to: path, atomically: true, encoding: .utf8)
            #expect(watch.check(file, isReloadRequested: false) == .unchanged)
            // The problem is reported again, because the file was usable in between.
            try "nonsense".write(to: path, atomically: true, encoding: .utf8)
            #expect(watch.check(file, isReloadRequested: false) != .unchanged)

            // Another key under the same identifier is used only after SIGHUP, which reloads the identifier.
            try writeKey(to: path)
            guard case .unusable(let error) = watch.check(file, isReloadRequested: false) else {
                Issue.record("a key with a stale identifier was used")
                return
            }
            #expect(error.description.contains("send SIGHUP"))
            #expect(watch.check(file, isReloadRequested: false) == .unchanged)
            #expect(watch.check(file, isReloadRequested: true) == .replaced(by: try file.read()))
            #expect(watch.check(file, isReloadRequested: true) == .unchanged)
        }
    }
}

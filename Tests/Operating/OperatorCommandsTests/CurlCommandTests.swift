import APNsClient
import Cryptography
import Foundation
import Testing

@testable import OperatorCommands

/// The text of the curl command for a push; an end-to-end test runs the command.
struct CurlCommandTests {
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 0x70, 8, 0x80, 10, 11, 12, 13, 14, 15, 16))

    private func push(_ payload: String) throws -> APNsPush {
        APNsPush(
            deviceToken: try #require(DeviceToken(hex: "80f1c2d3e4a5b697")),
            topic: try #require(BundleID("com.example.rangers")).topic,
            priority: .high,
            expirationEpochSeconds: 1_790_000_300,
            id: Self.id,
            payload: Array(payload.utf8)
        )
    }

    private func key() throws -> ProviderKey {
        try ProviderKey(pem: try P256PrivateKey.generate().pem, keyID: "TESTKEY001", teamID: "TESTTEAM01")
    }

    @Test func `the command passes everything in standard input, and escapes quotes and backslashes`() throws {
        let command = try push(#"{"aps":{"say":"a \"b\" \\ c"}}"#).curlCommand(
            host: "127.0.0.1",
            port: 2197,
            caFile: #"/tmp/a "b".pem"#,
            key: try key(),
            issuedAt: 1_790_000_000
        )
        let lines = command.split(separator: "\n").map(String.init)
        #expect(
            lines[..<2] == [
                "now=$(date +%s)", #"sed "s/@now+300@/$((now+300))/g" <<'END_OF_PUSH' | curl --config -"#,
            ]
        )
        #expect(lines.last == "END_OF_PUSH")
        #expect(lines.contains(#"url = "https://127.0.0.1:2197/3/device/80f1c2d3e4a5b697""#))
        #expect(lines.contains(#"cacert = "/tmp/a \"b\".pem""#))
        #expect(lines.contains(#"header = "apns-topic: com.example.rangers.push-type.liveactivity""#))
        #expect(lines.contains(#"header = "apns-priority: 10""#))
        #expect(lines.contains(#"data-binary = "{\"aps\":{\"say\":\"a \\\"b\\\" \\\\ c\"}}""#))
        #expect(lines.contains { $0.hasPrefix(#"header = "authorization: bearer ey"#) })
    }

    @Test func `the shell sets the times, and nothing in a text of a player`() throws {
        let payload = """
            {"aps":{"timestamp":1790000000,"stale-date":1790000240,"dismissal-date":1789999990,"content-state":\
            {"name":"$(id) `id` \\"timestamp\\":1790000000","tick":7,"turn":{"endsEpochSeconds":1790000060}}}}
            """
        let text = try push(payload).curlCommand(
            host: "::1",
            port: 443,
            caFile: nil,
            key: try key(),
            issuedAt: 1_790_000_000
        )
        // Everything but curl is run by a shell at another time.
        let script = text.replacing("$(date +%s)", with: "1800000000").replacing("curl --config -", with: "cat")
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", script]
        shell.standardOutput = output
        try shell.run()
        let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        #expect(printed.contains(#"header = "apns-expiration: 1800000300""#))
        let sent = payload.replacing(#"p":1790000000,"#, with: #"p":1800000000,"#)
            .replacing("1790000240", with: "1800000240").replacing("1789999990", with: "1799999990")
        let quoted = sent.replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#)
        #expect(printed.contains("data-binary = \"\(quoted)\"\n"), "\(printed)")
        #expect(!printed.contains("apns-id"))
    }

    @Test func `an IPv6 address is in brackets`() throws {
        let command = try push("{}").curlCommand(host: "::1", port: 443, caFile: nil, key: try key(), issuedAt: 0)
        #expect(command.contains(#"url = "https://[::1]:443/3/device/"#))
        #expect(!command.contains("cacert"))
    }
}

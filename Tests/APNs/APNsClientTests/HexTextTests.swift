import Foundation
import HTTP2Transport
import Testing

@testable import APNsClient

struct HexTextTests {
    @Test func `an id is written and read as Foundation does`() throws {
        for _ in 0..<1000 {
            let id = UUID()
            #expect(id.lowercasedText == id.uuidString.lowercased())
            #expect(UUID(hexText: id.uuidString) == id)
            #expect(UUID(hexText: id.lowercasedText) == id)
        }
    }

    @Test(arguments: [
        "", "0190a5b2", "0190a5b2-7c1e-7d3f-8a4b-5c6d7e8f9a0", "0190a5b2-7c1e-7d3f-8a4b-5c6d7e8f9a0bc",
        "0190a5b2_7c1e-7d3f-8a4b-5c6d7e8f9a0b", "0190a5b2-7c1e-7d3f-8a4b-5c6d7e8f9a0g",
        "g190a5b2-7c1e-7d3f-8a4b-5c6d7e8f9a0b", "0190a5b27c1e-7d3f-8a4b-5c6d7e8f9a0b-",
        "0190a5b2-7c1e-7d3f-8a4b-5c6d7e8f9aé",
    ])
    func `what is no id is none`(text: String) {
        #expect(UUID(hexText: text) == nil)
    }

    @Test func `a device token's bytes are its digits, two each`() throws {
        let token = try #require(DeviceToken(bytes: Array(0...255)))
        #expect(token.hex == (0...255).map { String(format: "%02x", $0) }.joined())
        #expect(DeviceToken(hex: token.hex.uppercased()) == token)
        #expect(DeviceToken(bytes: []) == nil)
        #expect(DeviceToken(bytes: [UInt8](repeating: 0, count: 257)) == nil)
        for wrong in ["", "0", "0g", "０0", "00 0", String(repeating: "00", count: 257)] {
            #expect(DeviceToken(hex: wrong) == nil, "\(wrong)")
        }
    }

    @Test func `a key is the same whatever surrounds it in its file`() throws {
        let pem = try PrivateKey.generateP256().pem
        let key = try ProviderKey(pem: pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        #expect(
            try ProviderKey(pem: "\n# kept safe\n" + pem + "\n\n", keyID: "ABC123DEFG", teamID: "DEF123GHIJ") == key
        )
        #expect(
            try ProviderKey(pem: try PrivateKey.generateP256().pem, keyID: "ABC123DEFG", teamID: "DEF123GHIJ") != key
        )
    }
}

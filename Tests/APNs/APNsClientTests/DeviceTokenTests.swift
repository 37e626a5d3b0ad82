import APNsClient
import Encodings
import Testing

struct DeviceTokenTests {
    @Test(arguments: ["", "a", "abc", "0g", "0x00", "ab cd", "ａｂ", String(repeating: "0", count: 514)])
    func `invalid hexadecimal text is not a token`(text: String) {
        #expect(DeviceToken(hex: text) == nil)
    }

    @Test(arguments: [64, 160, 512])
    func `a token of any allowed length is accepted and written in lower case`(count: Int) throws {
        let token = try #require(DeviceToken(hex: String(repeating: "A", count: count)))
        #expect(token.hex == String(repeating: "a", count: count))
    }

    @Test func `a device token's bytes are its digits, two for each byte`() throws {
        let bytes = Array(UInt8.min ... .max)
        #expect(try #require(DeviceToken(bytes: bytes)).hex == bytes.hexadecimal)
        #expect(DeviceToken(bytes: []) == nil)
        #expect(DeviceToken(bytes: [UInt8](repeating: 0, count: 257)) == nil)
    }

    @Test func `a description identifies a token without disclosing it`() throws {
        let token = try #require(DeviceToken(hex: "0123456789abcdef0123456789abcdef"))
        var dumped = ""
        dump(token, to: &dumped)
        for text in ["\(token)", String(reflecting: token), dumped] {
            #expect(text.contains("012345"))
            #expect(!text.contains("0123456"))
        }
    }
}

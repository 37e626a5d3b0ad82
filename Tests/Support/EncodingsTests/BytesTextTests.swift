import Encodings
import Foundation
import Testing

struct BytesTextTests {
    @Test func `every byte is written as two lower-case hexadecimal digits`() {
        let bytes = Array(UInt8.min ... .max)
        #expect(bytes.hexadecimal == bytes.map { String(format: "%02x", $0) }.joined())
        #expect([UInt8]().hexadecimal == "")
    }

    @Test func `hexadecimal digits are read in lower and upper case`() {
        let bytes = Array(UInt8.min ... .max)
        #expect([UInt8](hexadecimal: bytes.hexadecimal) == bytes)
        #expect(Data(hexadecimal: bytes.hexadecimal.uppercased()) == Data(bytes))
        #expect([UInt8](hexadecimal: "") == [])
    }

    @Test(arguments: ["0", "0g", "000", "０0", "00 0", "-1", "0x", "00é0"])
    func `a text of other characters, or an odd number of them, is not hexadecimal`(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }

    /// RFC 4648, section 10, without the padding.
    @Test(arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE")])
    func `base64url has no padding`(text: String, encoded: String) {
        #expect(text.utf8.base64URL == encoded)
        #expect([UInt8](base64URL: encoded) == Array(text.utf8))
    }

    @Test func `base64url has characters of its own for 62 and 63`() {
        #expect([0xFB, 0xFF, 0xBF].base64URL == "-_-_")
        #expect([UInt8](base64URL: "-_-_") == [0xFB, 0xFF, 0xBF])
    }

    @Test(arguments: ["Zg==", "+/+/", "Z", "Zm9v\n", "Zm 9v", "Zm9é"])
    func `padding, and characters outside the alphabet, are not base64url`(text: String) {
        #expect([UInt8](base64URL: text) == nil)
    }
}

import Foundation
import JSONCoding
import Testing

/// The bytes of the writer equal those of `JSONEncoder`.
struct JSONWriterTests {
    private func encoded(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `every ASCII character is escaped in the same way as by JSONEncoder`() throws {
        for code in UInt8(0)..<128 {
            let text = "a\(Character(UnicodeScalar(code)))b"
            #expect(written { $0.value(text) } == (try encoded(text)))
        }
    }

    @Test(arguments: ["", "é", "🤺", "\u{2028}", "a/b", "\u{7F}"])
    func `a text is written in the same way as by JSONEncoder`(text: String) throws {
        #expect(written { $0.value(text) } == (try encoded(text)))
    }

    @Test(arguments: [0, -1, 9, 10, 12_345, .max, .min])
    func `an integer is written in the same way as by JSONEncoder`(number: Int) throws {
        #expect(written { $0.value(number) } == (try encoded(number)))
    }

    @Test(arguments: [0, 0.5, -0.1, 1_000_000, 100.25, 0.3])
    func `a number is written in the same way as by JSONEncoder`(number: Double) throws {
        #expect(written { $0.value(number) } == (try encoded(number)))
    }

    @Test func `objects and arrays nest, with commas between their elements`() {
        let text = written { writer in
            writer.object { object in
                object.key("a")
                object.array([1, 2]) { $0.value($1) }
                object.key("b")
                object.object { _ in }
                object.key(escaping: "c\"")
                object.null()
                object.key("d")
                object.value(encoded: Array("[true]".utf8))
                object.key("e")
                object.value(false)
            }
        }
        #expect(text == #"{"a":[1,2],"b":{},"c\"":null,"d":[true],"e":false}"#)
    }
}

import Foundation
import Testing

@testable import HTTPServing

@Suite struct JSONFaultTests {
    @Test(
        arguments: [
            (#"{"a": Ada}"#, 1, 7, "expected a value"),
            ("{\n  \"a\": 1,\n}", 3, 1, "expected a field name in quotation marks"),
            (#"{"a": 1"#, 1, 8, "unexpected end, expected ',' or '}'"),
            (#"{"é🚀": x}"#, 1, 8, "expected a value"),
            ("{}}", 1, 3, "nothing may follow the value"),
            ("", 1, 1, "unexpected end, expected a value"),
            ("[1 2]", 1, 4, "expected ',' or ']'"),
            (#"{"a" 1}"#, 1, 6, "expected ':'"),
            ("{'a': 1}", 1, 2, "expected a field name in quotation marks"),
            (#""\x""#, 1, 3, "unknown escape"),
            (#""\u12g4""#, 1, 6, "expected four hexadecimal digits"),
            (#""\ud83d!""#, 1, 2, "unpaired surrogate"),
            (#""\ud83d\u0041""#, 1, 2, "unpaired surrogate"),
            (#""\udE80""#, 1, 2, "unpaired surrogate"),
            ("\"\t\"", 1, 2, #"control characters must be escaped, such as \n"#),
            ("[01]", 1, 3, "expected ',' or ']'"), ("[-]", 1, 3, "expected a digit"),
            ("[1.]", 1, 4, "expected a digit"), ("[1e+]", 1, 5, "expected a digit"),
            ("[.5]", 1, 2, "expected a value"), ("[+1]", 1, 2, "expected a value"),
            ("[NaN]", 1, 2, "expected a value"), ("[tru]", 1, 2, "expected a value"),
            ("[1] // end", 1, 5, "nothing may follow the value"), ("\u{feff}{}", 1, 1, "expected a value"),
            (String(repeating: "[", count: 65), 1, 65, "the value is nested too deeply"),
            (#"{"a": 1, "b": 2, "a": 1}"#, 1, 18, "duplicate field"),
            (#"{"a\"": 1, "\u0061\u0022": 1}"#, 1, 12, "duplicate field"),
        ] as [(String, Int, Int, String)]
    )
    func `the first fault is reported with its position`(text: String, line: Int, column: Int, reason: String) throws {
        let fault = try #require(JSONFault(in: Array(text.utf8)))
        #expect(fault.line == line && fault.column == column)
        #expect(fault.reason == reason)
    }

    @Test(
        arguments: [
            "{}", " [ ] ", "null", "true", "0", "-0.5e+10", "1E9", #"{"a": [1, {"b": false}], "c": "é\n\ud83d\ude80"}"#,
            "\t{\r\n\"a\" : \"🚀\"}", #"{"a": {"b": 1, "c": 1}, "b": [{"c": 1}, {"c": 1}], "A": 1}"#,
            String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
        ]
    )
    func `valid JSON has no fault`(text: String) {
        #expect(JSONFault(in: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xe2, 0x82],
    ])
    func `invalid UTF-8 is a fault`(bytes: [UInt8]) throws {
        let fault = try #require(JSONFault(in: bytes))
        #expect(fault.reason == "invalid UTF-8" && fault.column == 2)
    }

    @Test func `text without a fault is what Foundation parses`() {
        let body = Array(#"{"name": "\u00e9🚀", "capacity": -12.5e3, "list": [true, null, {}]}"#.utf8)
        for index in body.indices {
            var mutations = [Array(body.prefix(index)), body]
            mutations[1].remove(at: index)
            for byte in #"",:{}[]01e+-\x"#.utf8 {
                mutations += [body, body]
                mutations[mutations.count - 2].insert(byte, at: index)
                mutations[mutations.count - 1][index] = byte
            }
            for bytes in mutations {
                let isParsed = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
                let text = String(decoding: bytes, as: UTF8.self)
                // Foundation accepts a trailing comma; that must be the only difference.
                let hasCommaAtEnd = text.contains(/,[\]}]/)
                #expect((JSONFault(in: bytes) == nil) == (isParsed && !hasCommaAtEnd), "\(text)")
            }
        }
    }
}

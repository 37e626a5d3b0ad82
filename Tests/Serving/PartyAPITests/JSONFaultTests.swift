import Foundation
import Testing

@testable import PartyAPI

@Suite struct JSONFaultTests {
    @Test(
        arguments: [
            (#"{"a": Ada}"#, 1, 7, "a value is expected"),
            ("{\n  \"a\": 1,\n}", 3, 1, "a field's name in quotation marks is expected"),
            (#"{"a": 1"#, 1, 8, "it ends here, and ',' or '}' is expected"),
            (#"{"é🚀": x}"#, 1, 8, "a value is expected"),
            ("{}}", 1, 3, "nothing may follow here"),
            ("", 1, 1, "it ends here, and a value is expected"),
            ("[1 2]", 1, 4, "',' or ']' is expected"),
            (#"{"a" 1}"#, 1, 6, "':' is expected"),
            ("{'a': 1}", 1, 2, "a field's name in quotation marks is expected"),
            (#""\x""#, 1, 3, "there is no such escape"),
            (#""\u12g4""#, 1, 6, "four hexadecimal digits are expected"),
            (#""\ud83d!""#, 1, 2, "half of a surrogate pair"),
            (#""\ud83d\u0041""#, 1, 2, "half of a surrogate pair"),
            (#""\udE80""#, 1, 2, "half of a surrogate pair"),
            ("\"\t\"", 1, 2, #"a control character must be written as an escape, such as \n"#),
            ("[01]", 1, 3, "',' or ']' is expected"), ("[-]", 1, 3, "a digit is expected"),
            ("[1.]", 1, 4, "a digit is expected"), ("[1e+]", 1, 5, "a digit is expected"),
            ("[.5]", 1, 2, "a value is expected"), ("[+1]", 1, 2, "a value is expected"),
            ("[NaN]", 1, 2, "a value is expected"), ("[tru]", 1, 2, "a value is expected"),
            ("[1] // end", 1, 5, "nothing may follow here"), ("\u{feff}{}", 1, 1, "a value is expected"),
            (String(repeating: "[", count: 65), 1, 65, "it is nested too deeply"),
            (#"{"a": 1, "b": 2, "a": 1}"#, 1, 18, "this field was there already"),
            (#"{"a\"": 1, "\u0061\u0022": 1}"#, 1, 12, "this field was there already"),
        ] as [(String, Int, Int, String)]
    )
    func `the first fault is told with its place`(text: String, line: Int, column: Int, reason: String) throws {
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
    func `what is JSON has no fault`(text: String) {
        #expect(JSONFault(in: Array(text.utf8)) == nil)
    }

    @Test(arguments: [
        [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22], [0x22, 0xe2, 0x82],
    ])
    func `what is no UTF-8 is no JSON`(bytes: [UInt8]) throws {
        let fault = try #require(JSONFault(in: bytes))
        #expect(fault.reason == "this is no UTF-8" && fault.column == 2)
    }

    @Test func `what has no fault is what Foundation takes`() {
        let body = Array(#"{"name": "\u00e9🚀", "capacity": -12.5e3, "list": [true, null, {}]}"#.utf8)
        for place in body.indices {
            var spoilt = [Array(body.prefix(place)), body]
            spoilt[1].remove(at: place)
            for byte in #"",:{}[]01e+-\x"#.utf8 {
                spoilt += [body, body]
                spoilt[spoilt.count - 2].insert(byte, at: place)
                spoilt[spoilt.count - 1][place] = byte
            }
            for bytes in spoilt {
                let isTaken = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
                let text = String(decoding: bytes, as: UTF8.self)
                // Foundation lets a comma end a list; nothing else may set the two apart.
                let hasCommaAtEnd = text.contains(/,[\]}]/)
                #expect((JSONFault(in: bytes) == nil) == (isTaken && !hasCommaAtEnd), "\(text)")
            }
        }
    }
}

import Foundation
import Testing

@testable import PartyAPI

/// Our JSON against Foundation's: other order of members, the same meaning.
@Suite struct JSONTests {
    private enum Choice: String, Codable { case left, right }

    private struct Inner: Codable, Equatable {
        var text = ""
        var flag: Bool?
    }

    private struct Everything: Codable, Equatable {
        var text = "wörds \"quoted\" \\ / \u{1}\n\t\u{1f} 🦊 👩‍👩‍👧‍👦 \u{2028}"
        var empty = ""
        var whole = -7
        var small: Int8 = -128
        var large = UInt64.max
        var lowest = Int64.min
        var fraction = 0.1
        var tiny = Double.leastNonzeroMagnitude
        var huge = 1.7976931348623157e308
        var one = 1.0
        var negativeZero = -0.0
        var flag = true
        var nothing: String?
        var choice = Choice.right
        var inner = Inner(text: "inside", flag: false)
        var absent: Inner?
        var none: [Int] = []
        var numbers = [1, 2, 3]
        var rows = [[1], [], [2, 3]]
        var inners = [Inner(text: "a"), Inner(text: "b", flag: true)]
        var doubts: [Int?] = [1, nil, 3]
        var byName = ["only": Inner(text: "c")]
    }

    /// Two containers of one encoder are one object, also where the first ends in another object.
    private struct Merged: Encodable {
        private enum Keys: String, CodingKey { case first, list, deep, deeper, last, own }

        func encode(to encoder: any Encoder) throws {
            var first = encoder.container(keyedBy: Keys.self)
            try first.encode("1", forKey: .first)
            var list = first.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            var row = list.nestedContainer(keyedBy: Keys.self)
            try row.encode(2, forKey: .last)
            try list.encodeNil()
            try Inner(text: "super").encode(to: first.superEncoder(forKey: .own))
            var deep = first.nestedContainer(keyedBy: Keys.self, forKey: .deep)
            var deeper = deep.nestedContainer(keyedBy: Keys.self, forKey: .deeper)
            try deeper.encode(true, forKey: .last)
            var second = encoder.container(keyedBy: Keys.self)
            try second.encodeNil(forKey: .last)
        }
    }

    private struct Empty: Encodable {
        func encode(to encoder: any Encoder) throws {}
    }

    private func foundations(_ value: some Encodable) throws -> NSObject {
        try parsed(JSONEncoder().encode(value))
    }

    private func ours(_ value: some Encodable) throws -> NSObject {
        try parsed(Data(JSON.bytes(of: value)))
    }

    private func parsed(_ data: Data) throws -> NSObject {
        try #require(JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) as? NSObject)
    }

    @Test func `every kind of value means what Foundation's encoder writes`() throws {
        let value = Everything()
        #expect(try ours(value) == foundations(value))
        #expect(try JSONDecoder().decode(Everything.self, from: Data(JSON.bytes(of: value))) == value)
        #expect(try ours([value, value]) == foundations([value, value]))
    }

    @Test func `containers that are made one inside the other are closed where they end`() throws {
        let expected =
            #"{"first":"1","list":[1,{"last":2},null],"own":{"text":"super"},"#
            + #""deep":{"deeper":{"last":true}},"last":null}"#
        #expect(try JSON.encode(Merged()) == expected)
        #expect(try ours(Merged()) == foundations(Merged()))
    }

    @Test func `a value by itself is its own text`() throws {
        #expect(try JSON.encode("a\"b") == #""a\"b""#)
        #expect(try JSON.encode(7) == "7")
        #expect(try JSON.encode([Int]()) == "[]")
        #expect(try JSON.encode(Choice.left) == #""left""#)
        #expect(try JSON.encode([Empty()]) == "[{}]")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `a number that JSON cannot hold is refused`(number: Double) {
        #expect(throws: EncodingError.self) { try JSON.encode([number]) }
    }

    @Test func `members stand in the order of their declaration`() throws {
        #expect(try JSON.encode(Inner(text: "x", flag: true)) == #"{"text":"x","flag":true}"#)
    }
}

import GameCore
import JSONCoding
import LiveActivityContent

/// What writes itself as JSON: the answers that are asked for all the time.
///
/// `Encodable` goes through a container and a witness for each member, which takes five times as long. The members' order
/// is that of the calls.
protocol JSONWritable: Encodable {
    /// Writes the one value.
    func write(to json: inout JSONWriter)
}

extension JSONWritable {
    /// Writes the same, as a part of something that is written member by member.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(JSONText(bytes: JSON.bytes(of: self)))
    }
}

/// A value that is JSON already; for ``JSON`` alone.
struct JSONText: Encodable {
    let bytes: [UInt8]

    func encode(to encoder: any Encoder) throws {
        preconditionFailure("only JSON knows that this is JSON")
    }
}

/// Members of an object; those that are nil are left out.
extension JSONWriter {
    mutating func member(_ key: StaticString, _ text: String?) {
        guard let text else { return }
        self.key(key)
        value(text)
    }

    mutating func member(_ key: StaticString, _ number: Int) {
        self.key(key)
        value(number)
    }

    mutating func member(_ key: StaticString, _ number: Double) {
        self.key(key)
        value(number)
    }

    mutating func member(_ key: StaticString, _ flag: Bool) {
        self.key(key)
        value(flag)
    }

    mutating func member(_ key: StaticString, _ id: some EntityID) {
        self.key(key)
        value(id.description)
    }

    mutating func member(_ key: StaticString, _ choice: (some RawRepresentable<String>)?) {
        member(key, choice?.rawValue)
    }

    mutating func member(_ key: StaticString, _ seat: Seat?) {
        guard let seat else { return }
        member(key, seat.rawValue)
    }

    mutating func member(_ key: StaticString, _ part: (some JSONWritable)?) {
        guard let part else { return }
        self.key(key)
        part.write(to: &self)
    }

    mutating func member(_ key: StaticString, _ parts: [some JSONWritable]) {
        self.key(key)
        array(parts) { json, part in part.write(to: &json) }
    }
}

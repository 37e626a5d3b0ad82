import APNsClient

/// Parsers for the values of settings.
package enum SettingValue {
    /// Returns a parser for whole numbers in a range.
    package static func number(_ range: ClosedRange<Int>) -> (String) throws(MalformedValue) -> Int {
        { text throws(MalformedValue) in
            guard let number = Int(text), range.contains(number) else {
                throw MalformedValue("is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// Returns a parser for durations in a range: a whole number with a unit, such as `500ms`, `10s`, `2m` or `8h`.
    package static func duration(_ range: ClosedRange<Duration>) -> (String) throws(MalformedValue) -> Duration {
        { text throws(MalformedValue) in
            guard
                let unit = text.firstIndex(where: { !($0.isASCII && $0.isNumber) }),
                let count = Int64(text[..<unit]),
                let milliseconds = Duration.milliseconds(inUnit: String(text[unit...]))
            else {
                throw MalformedValue("is not a duration; write a whole number and ms, s, m or h, such as 500ms or 10s")
            }
            let product = count.multipliedReportingOverflow(by: milliseconds)
            guard !product.overflow, range.contains(.milliseconds(product.partialValue)) else {
                throw MalformedValue(
                    "is not between \(range.lowerBound.settingText) and \(range.upperBound.settingText)"
                )
            }
            return .milliseconds(product.partialValue)
        }
    }

    /// Returns a parser for the raw values of an enumeration.
    package static func name<Name: RawRepresentable & CaseIterable>(
        _ type: Name.Type
    ) -> (String) throws(MalformedValue) -> Name where Name.RawValue == String {
        { text throws(MalformedValue) in
            guard let name = Name(rawValue: text) else {
                let names = Name.allCases.map(\.rawValue)
                let suggestion =
                    SpellingSuggestion.nearest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
                throw MalformedValue("is not one of \(names.joined(separator: ", "))\(suggestion)")
            }
            return name
        }
    }

    /// Parses APNs environments separated by commas; the result has each once, in declaration order.
    static func environments(_ text: String) throws(MalformedValue) -> [APNsEnvironment] {
        let listed = try names(APNsEnvironment.self, in: text)
        return APNsEnvironment.allCases.filter(listed.contains)
    }

    /// Parses raw values of an enumeration, separated by commas.
    package static func names<Name: RawRepresentable & CaseIterable>(
        _ type: Name.Type,
        in text: String
    ) throws(MalformedValue) -> [Name] where Name.RawValue == String {
        let parse = name(type)
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        var names: [Name] = []
        for part in parts {
            let name = String(part.filter { !$0.isWhitespace })
            do throws(MalformedValue) {
                names.append(try parse(name))
            } catch {
                throw parts.count == 1 ? error : MalformedValue("contains \"\(name)\", which \(error.reason)")
            }
        }
        return names
    }

    /// Parses a host name or address.
    package static func host(_ text: String) throws(MalformedValue) -> String {
        guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._:%".contains($0)) }) else {
            throw MalformedValue("is not a host name or address; write it without scheme, port and brackets")
        }
        return text
    }

    /// Parses an identifier from Apple's developer account: 10 capital letters and digits.
    static func appleIdentifier(_ text: String) throws(MalformedValue) -> String {
        guard text.count == 10, text.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) }) else {
            throw MalformedValue("is not an Apple identifier, which has 10 capital letters and digits")
        }
        return text
    }

    /// Parses a bundle identifier, from which topics are derived.
    package static func bundleID(_ text: String) throws(MalformedValue) -> String {
        guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }) else {
            throw MalformedValue("is not a bundle identifier: only letters, digits, - and . are allowed")
        }
        guard !text.hasSuffix(".push-type.liveactivity") else {
            throw MalformedValue("is a topic; set only the bundle identifier of the app")
        }
        return text
    }

    /// Returns a path unchanged; a missing file is reported when it is opened.
    package static func path(_ text: String) -> String { text }

    /// Parses a libpq URI.
    static func databaseURL(_ text: String) throws(MalformedValue) -> Secret {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            throw MalformedValue("is not a PostgreSQL URI, which begins with postgresql://")
        }
        return Secret(text)
    }
}

extension Duration {
    /// The units of durations with their lengths in milliseconds, largest first.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    fileprivate static func milliseconds(inUnit name: String) -> Int64? {
        units.first { $0.name == name }?.milliseconds
    }

    /// The duration as a setting is written, such as `10s`: in the largest unit that gives a whole number.
    public var settingText: String {
        let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "0s" }
        for unit in Self.units where milliseconds.isMultiple(of: unit.milliseconds) {
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }
}

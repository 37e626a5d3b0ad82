import APNsClient

/// Makes values of texts, or says why a text is none.
enum SettingValue {
    /// A whole number within bounds.
    static func number(_ range: ClosedRange<Int>) -> (String) throws(MalformedValue) -> Int {
        { text throws(MalformedValue) in
            guard let number = Int(text), range.contains(number) else {
                throw MalformedValue("is no whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }

    /// A duration within bounds: a whole number and its unit, `500ms`, `10s`, `2m`, `8h`.
    static func duration(_ range: ClosedRange<Duration>) -> (String) throws(MalformedValue) -> Duration {
        { text throws(MalformedValue) in
            guard
                let unit = text.firstIndex(where: { !($0.isASCII && $0.isNumber) }),
                let count = Int64(text[..<unit]),
                let milliseconds = Duration.unit(String(text[unit...]))
            else {
                throw MalformedValue("is no duration; write a whole number and ms, s, m or h, like 500ms or 10s")
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

    /// One of a few names.
    static func name<Name: RawRepresentable & CaseIterable>(
        _ type: Name.Type
    ) -> (String) throws(MalformedValue) -> Name where Name.RawValue == String {
        { text throws(MalformedValue) in
            guard let name = Name(rawValue: text) else {
                let names = Name.allCases.map(\.rawValue)
                let suggestion = NearMiss.of(text, among: names).map { "; did you mean \($0)?" } ?? ""
                throw MalformedValue("is none of \(names.joined(separator: ", "))\(suggestion)")
            }
            return name
        }
    }

    /// Roles separated by commas.
    static func roles(_ text: String) throws(MalformedValue) -> Set<Role> {
        Set(try names(Role.self, in: text))
    }

    /// Environments separated by commas, each once, in the order of their declaration.
    static func environments(_ text: String) throws(MalformedValue) -> [APNsEnvironment] {
        let given = try names(APNsEnvironment.self, in: text)
        return APNsEnvironment.allCases.filter(given.contains)
    }

    /// Names separated by commas.
    private static func names<Name: RawRepresentable & CaseIterable>(
        _ type: Name.Type,
        in text: String
    ) throws(MalformedValue) -> [Name] where Name.RawValue == String {
        let one = name(type)
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        var names: [Name] = []
        for part in parts {
            let name = String(part.filter { !$0.isWhitespace })
            do throws(MalformedValue) {
                names.append(try one(name))
            } catch {
                throw parts.count == 1 ? error : MalformedValue("holds \"\(name)\", which \(error.reason)")
            }
        }
        return names
    }

    /// A host's name or address.
    static func host(_ text: String) throws(MalformedValue) -> String {
        guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._:%".contains($0)) }) else {
            throw MalformedValue("is no host name or address; write it without scheme, port and brackets")
        }
        return text
    }

    /// An identifier from Apple's developer account: 10 capital letters and digits.
    static func appleIdentifier(_ text: String) throws(MalformedValue) -> String {
        guard text.count == 10, text.allSatisfy({ $0.isASCII && ($0.isUppercase || $0.isNumber) }) else {
            throw MalformedValue("is no identifier from Apple: these have 10 capital letters and digits")
        }
        return text
    }

    /// A bundle identifier; topics are made of it.
    static func bundleID(_ text: String) throws(MalformedValue) -> String {
        guard text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") }) else {
            throw MalformedValue("is no bundle identifier: letters, digits, - and . only")
        }
        guard !text.hasSuffix(".push-type.liveactivity") else {
            throw MalformedValue("is a topic; give the app's bundle identifier alone")
        }
        return text
    }

    /// A path; whether there is a file is found out by whoever opens it.
    static func path(_ text: String) -> String { text }

    /// A libpq URI.
    static func databaseURL(_ text: String) throws(MalformedValue) -> Secret {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            throw MalformedValue("is no PostgreSQL URI; it begins with postgresql://")
        }
        return Secret(text)
    }
}

extension Duration {
    /// The units of durations and their milliseconds, the largest first.
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
    ]

    fileprivate static func unit(_ name: String) -> Int64? {
        units.first { $0.name == name }?.milliseconds
    }

    /// As a setting is written: `10s`, in the largest unit that leaves a whole number.
    public var settingText: String {
        let milliseconds = components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
        for unit in Self.units where milliseconds != 0 && milliseconds.isMultiple(of: unit.milliseconds) {
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }
}

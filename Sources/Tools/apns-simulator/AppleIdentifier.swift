import ArgumentParser

/// Validation of Apple's identifiers for keys, teams and apps in options.
enum AppleIdentifier {
    /// Checks the identifier of a key or a team.
    static func check(_ id: String, for option: String) throws {
        guard !id.isEmpty, id.allSatisfy(isLetterOrDigit) else {
            throw ValidationError("\(option) '\(id)': only letters and digits are allowed")
        }
    }

    /// Checks an app's bundle identifier.
    static func check(bundleID: String, for option: String) throws {
        guard !bundleID.isEmpty, bundleID.allSatisfy({ isLetterOrDigit($0) || $0 == "." || $0 == "-" }) else {
            throw ValidationError("\(option) '\(bundleID)': only letters, digits, hyphens and periods are allowed")
        }
    }

    private static func isLetterOrDigit(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber)
    }
}

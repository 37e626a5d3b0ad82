import ArgumentParser

/// The names that Apple gives to keys, teams and apps, as options have them.
enum AppleName {
    /// Checks the identifier of a key or a team.
    static func check(_ id: String, for option: String) throws {
        guard !id.isEmpty, id.allSatisfy(isLetterOrDigit) else {
            throw ValidationError("\(option) '\(id)': letters and digits")
        }
    }

    /// Checks an app's bundle identifier.
    static func check(bundleID: String, for option: String) throws {
        guard !bundleID.isEmpty, bundleID.allSatisfy({ isLetterOrDigit($0) || $0 == "." || $0 == "-" }) else {
            throw ValidationError("\(option) '\(bundleID)': letters, digits, hyphens and periods")
        }
    }

    private static func isLetterOrDigit(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber)
    }
}

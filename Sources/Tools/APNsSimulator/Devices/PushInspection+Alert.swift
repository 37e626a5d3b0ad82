import LiveActivityContent

extension PushInspection {
    /// Inspects a decoded alert.
    static func inspectAlert(_ alert: ReceivedAlert, _ catalog: StringCatalog) -> [Finding] {
        let parts = [("title", alert.title), ("body", alert.body)]
        let texts = parts.compactMap { name, text in text.map { (name, $0) } }
        var findings: [Finding] = []
        // Flat keys, which have their own finding, are texts in the wrong place.
        if !alert.hasFlatLocalizationKeys {
            let missing = parts.filter { $0.1?.isEmpty ?? true }.map(\.0)
            findings += missing.map { Finding(kind: .incompleteAlert, detail: "the alert has no \($0)") }
        }
        let localized = texts.compactMap { name, text in text.localizable.map { (name, $0) } }
        for (name, text) in localized where !catalog.has(text.key) {
            let detail = "the app has no string '\(text.key)', so the \(name) shows the key"
            findings.append(Finding(kind: .unknownLocalizationKey, detail: detail))
        }
        for (name, text) in localized {
            guard let count = catalog.argumentCount(of: text.key), count != text.args.count else { continue }
            let detail = "the \(name) '\(text.key)' takes \(count) loc-args, but the push has \(text.args.count)"
            findings.append(Finding(kind: .wrongLocalizationArguments, detail: detail))
        }
        if let sound = alert.sound, !AlertSounds.isKnown(sound) {
            findings.append(Finding(kind: .unknownSound, detail: "the app has no sound '\(sound)'"))
        }
        return findings
    }
}

extension ReceivedAlert.Text {
    /// The String Catalog entry; nil for plain text.
    fileprivate var localizable: LocalizableText? {
        switch self {
        case .plain: nil
        case .localizable(let text): text
        }
    }

    fileprivate var isEmpty: Bool {
        switch self {
        case .plain(let text): text.isEmpty
        case .localizable(let text): text.key.isEmpty
        }
    }
}

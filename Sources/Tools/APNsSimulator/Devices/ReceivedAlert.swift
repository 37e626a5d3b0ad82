import LiveActivityContent

/// The `alert` of a payload as ActivityKit decodes it.
struct ReceivedAlert: Equatable, Sendable {
    /// A text of an alert: plain, or a key of the app's String Catalog.
    enum Text: Equatable, Sendable {
        case plain(String)
        case localizable(LocalizableText)
    }

    /// The title; phones ignore an alert without one.
    let title: Text?
    let body: Text?
    /// The sound: a file in the app's bundle, or `default`.
    let sound: String?
    /// Whether it has the flat keys of ordinary alerts (`loc-key` and so on), which ActivityKit does not document.
    let hasFlatLocalizationKeys: Bool
}

extension ReceivedAlert: Decodable {
    private enum CodingKeys: String, CodingKey {
        case title
        case body
        case sound
        case titleLocKey = "title-loc-key"
        case titleLocArgs = "title-loc-args"
        case locKey = "loc-key"
        case locArgs = "loc-args"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        title = try container.decodeIfPresent(Text.self, forKey: .title)
        body = try container.decodeIfPresent(Text.self, forKey: .body)
        sound = try container.decodeIfPresent(String.self, forKey: .sound)
        hasFlatLocalizationKeys = [.titleLocKey, .titleLocArgs, .locKey, .locArgs].contains(where: container.contains)
    }
}

extension ReceivedAlert.Text: Decodable {
    private enum CodingKeys: String, CodingKey {
        case locKey = "loc-key"
        case locArgs = "loc-args"
    }

    init(from decoder: any Decoder) throws {
        // Anything but a string must be an object; the errors below report any other value.
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .plain(text)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let key = try container.decode(String.self, forKey: .locKey)
        let args = try container.decodeIfPresent([String].self, forKey: .locArgs) ?? []
        self = .localizable(LocalizableText(key: key, args: args))
    }
}

extension ReceivedAlert.Text {
    /// The key in the String Catalog; nil for plain text.
    var key: String? {
        switch self {
        case .plain: nil
        case .localizable(let text): text.key
        }
    }

    /// Returns the text in the language of a locale.
    func resolved(in catalog: StringCatalog, for locale: String) -> String {
        switch self {
        case .plain(let text): text
        case .localizable(let text): catalog.text(text, for: locale)
        }
    }
}

/// What the API takes; a field that it does not know is a mistake, and not a wish to be ignored.
protocol RequestBody: Decodable, Sendable {
    /// The fields that there are.
    associatedtype CodingKeys: CodingKey, CaseIterable
}

/// A body in which every field is known.
struct KnownFields<Body: RequestBody>: Decodable {
    let body: Body

    init(from decoder: any Decoder) throws {
        let names = try decoder.container(keyedBy: AnyField.self)
        let known = Body.CodingKeys.allCases.map(\.stringValue)
        for name in names.allKeys where !known.contains(name.stringValue) {
            throw DecodingError.dataCorruptedError(
                forKey: name,
                in: names,
                debugDescription: "there is no such field; there are \(known.joined(separator: ", "))"
            )
        }
        body = try Body(from: decoder)
    }
}

/// Any member of a JSON object.
struct AnyField: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init?(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}

/// A request body whose unknown fields are errors.
protocol RequestBody: Decodable, Sendable {
    /// The known fields.
    associatedtype CodingKeys: CodingKey, CaseIterable
}

/// Decodes a body after checking for unknown fields.
struct KnownFields<Body: RequestBody>: Decodable {
    let body: Body

    init(from decoder: any Decoder) throws {
        let names = try decoder.container(keyedBy: AnyField.self)
        let known = Body.CodingKeys.allCases.map(\.stringValue)
        for name in names.allKeys where !known.contains(name.stringValue) {
            throw DecodingError.dataCorruptedError(
                forKey: name,
                in: names,
                debugDescription: "unknown field; the known ones are \(known.joined(separator: ", "))"
            )
        }
        body = try Body(from: decoder)
    }
}

/// The key of any member of a JSON object.
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

extension String: PostgresEncodable, PostgresDecodable {
    /// `text`, which PostgreSQL casts to its other types of characters by itself when a column takes the value.
    public static var postgresType: PostgresType { .text }

    /// UTF-8.
    ///
    /// A text with a zero byte is refused by the server (SQLSTATE 22021).
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(bytes: utf8)
    }

    /// `text`.
    public static var expectedPostgresType: String { PostgresType.text.description }

    /// `text`, `varchar`, `character` and `name`.
    public static func canDecode(_ type: PostgresType) -> Bool {
        type == .text || type == .varchar || type == .character || type == .name
    }

    /// Reads UTF-8, the encoding that every connection asks for.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        guard let text = unsafe bytes.withUnsafeBytes({ unsafe String(validating: $0, as: UTF8.self) }) else {
            throw PostgresValueError("the text is not valid UTF-8")
        }
        self = text
    }
}

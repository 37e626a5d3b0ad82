extension String: PostgresEncodable, PostgresDecodable {
    /// `text`, which PostgreSQL converts implicitly to its other character types.
    public static var postgresType: PostgresType { .text }

    /// Encodes UTF-8.
    ///
    /// The server rejects text with a zero byte (SQLSTATE 22021).
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(bytes: utf8)
    }

    /// `text`.
    public static var expectedPostgresType: String { PostgresType.text.description }

    /// Returns whether the type is `text`, `varchar`, `character` or `name`.
    public static func canDecode(_ type: PostgresType) -> Bool {
        type == .text || type == .varchar || type == .character || type == .name
    }

    /// Decodes UTF-8, the client encoding of every connection.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        guard let text = unsafe bytes.withUnsafeBytes({ unsafe String(validating: $0, as: UTF8.self) }) else {
            throw PostgresValueError("the text is not valid UTF-8")
        }
        self = text
    }
}

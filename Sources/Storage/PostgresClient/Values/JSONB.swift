/// A `jsonb` value: a JSON document as UTF-8 text.
///
/// PostgreSQL keeps the document's meaning, not its text: white space, key order and duplicate keys are lost.
public struct JSONB: Hashable, Sendable {
    /// The only version of the binary format so far (PostgreSQL's `jsonb_recv`).
    static let formatVersion: UInt8 = 1

    /// The document's UTF-8 text.
    public var utf8: [UInt8]

    /// Creates a document from UTF-8 text.
    ///
    /// The server rejects malformed JSON.
    public init(utf8: [UInt8]) {
        self.utf8 = utf8
    }

    /// Creates a document from its text.
    public init(_ text: String) {
        self.init(utf8: Array(text.utf8))
    }
}

extension JSONB: PostgresEncodable, PostgresDecodable {
    /// `jsonb`.
    public static var postgresType: PostgresType { .jsonb }

    /// Encodes the format version, then the text.
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(Self.formatVersion)
        buffer.append(bytes: utf8)
    }

    /// `jsonb`.
    public static var expectedPostgresType: String { PostgresType.jsonb.description }

    /// Returns whether the type is `jsonb`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .jsonb }

    /// Decodes the text after the format version.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        guard bytes.byteCount > 0, try bytes.extracting(first: 1).integer(UInt8.self) == Self.formatVersion else {
            throw PostgresValueError("the jsonb format version is not \(Self.formatVersion)")
        }
        self.init(utf8: bytes.extracting(droppingFirst: 1).copied)
    }
}

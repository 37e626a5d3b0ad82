/// A `jsonb` value: the UTF-8 text of a JSON document.
///
/// PostgreSQL keeps the meaning of the text, not its wording: spaces, the order of keys and doubled keys are lost.
public struct JSONB: Hashable, Sendable {
    /// The only version of the binary format so far (`jsonb_recv` of PostgreSQL).
    static let formatVersion: UInt8 = 1

    /// The document's text.
    public var utf8: [UInt8]

    /// A document from its text in UTF-8; the server refuses what is not JSON.
    public init(utf8: [UInt8]) {
        self.utf8 = utf8
    }

    /// A document from its text.
    public init(_ text: String) {
        self.init(utf8: Array(text.utf8))
    }
}

extension JSONB: PostgresEncodable, PostgresDecodable {
    /// `jsonb`.
    public static var postgresType: PostgresType { .jsonb }

    /// The format's version, then the text.
    public func encode(into buffer: inout PostgresBuffer) {
        buffer.append(Self.formatVersion)
        buffer.append(bytes: utf8)
    }

    /// `jsonb`.
    public static var expectedPostgresType: String { PostgresType.jsonb.description }

    /// `jsonb` only.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .jsonb }

    /// Reads the text behind the format's version.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        guard bytes.byteCount > 0, try bytes.extracting(first: 1).integer(UInt8.self) == Self.formatVersion else {
            throw PostgresValueError("the format's version is not \(Self.formatVersion)")
        }
        self.init(utf8: bytes.extracting(droppingFirst: 1).copied)
    }
}

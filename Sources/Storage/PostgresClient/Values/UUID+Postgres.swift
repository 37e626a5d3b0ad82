public import Foundation

extension UUID: PostgresEncodable, PostgresDecodable {
    /// `uuid`.
    public static var postgresType: PostgresType { .uuid }

    /// Encodes sixteen bytes.
    public func encode(into buffer: inout PostgresBuffer) {
        var uuid = uuid
        unsafe withUnsafeBytes(of: &uuid) { unsafe buffer.append(bytes: $0) }
    }

    /// `uuid`.
    public static var expectedPostgresType: String { PostgresType.uuid.description }

    /// Returns whether the type is `uuid`.
    public static func canDecode(_ type: PostgresType) -> Bool { type == .uuid }

    /// Decodes sixteen bytes.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        guard bytes.byteCount == MemoryLayout<uuid_t>.size else {
            throw PostgresValueError("got \(bytes.byteCount) bytes instead of 16")
        }
        // Safe: the count was just checked, and every bit pattern is a valid uuid_t.
        self.init(uuid: unsafe bytes.unsafeLoadUnaligned(as: uuid_t.self))
    }
}

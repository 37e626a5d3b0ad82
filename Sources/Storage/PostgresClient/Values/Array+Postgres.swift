// One-dimensional arrays, and `bytea`, which is the array of UInt8 in Swift but not in PostgreSQL.

extension Array: PostgresEncodable where Element: PostgresEncodable {
    /// The type of arrays of the element's type; `bytea` for bytes.
    public static var postgresType: PostgresType { Element.postgresArrayType }

    /// One dimension, from index 1.
    public func encode(into buffer: inout PostgresBuffer) {
        Element.encode(array: self, into: &buffer)
    }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
    /// An array of the element's type; `bytea` for bytes.
    public static var expectedPostgresType: String { "an array of \(Element.expectedPostgresType)" }

    /// Whether such columns hold arrays of the element's type.
    public static func canDecode(_ type: PostgresType) -> Bool { Element.canDecode(arrayType: type) }

    /// Reads an array of one dimension, whatever index it starts from.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        self = try Element.decode(array: bytes, as: type)
    }
}

extension PostgresEncodable {
    /// The type of arrays of `postgresType`, which must not be one itself: PostgreSQL has no arrays of arrays.
    public static var postgresArrayType: PostgresType {
        guard let type = postgresType.array else {
            preconditionFailure("PostgreSQL's arrays of \(postgresType) are not known here")
        }
        return type
    }

    /// One dimension, from index 1 (`array_recv` of PostgreSQL).
    public static func encode(array: [Self], into buffer: inout PostgresBuffer) {
        buffer.append(Int32(array.isEmpty ? 0 : 1))
        buffer.append(Int32(1))  // "may hold NULL": a hint that the server does not trust
        buffer.append(postgresType.rawValue)
        guard !array.isEmpty else { return }
        buffer.append(Int32(array.count))
        buffer.append(Int32(1))
        for element in array { buffer.appendField(element) }
    }
}

extension PostgresDecodable {
    /// Whether the type is an array whose elements can be read.
    public static func canDecode(arrayType type: PostgresType) -> Bool {
        type.element.map { canDecode($0) } ?? false
    }

    /// Reads an array of one dimension (`array_send` of PostgreSQL).
    public static func decode(array bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) -> [Self] {
        let headerBytes = 12
        let dimensionBytes = 8
        guard bytes.byteCount >= headerBytes else { throw PostgresValueError("the array's header is cut short") }
        let dimensions = try bytes.extracting(0..<4).integer(Int32.self)
        let elementType = PostgresType(rawValue: try bytes.extracting(8..<12).integer(UInt32.self))
        guard dimensions > 0 else { return [] }
        guard dimensions == 1 else { throw PostgresValueError("the array has \(dimensions) dimensions, not one") }
        guard canDecode(elementType) else { throw PostgresValueError("the array's elements are \(elementType)") }
        guard bytes.byteCount >= headerBytes + dimensionBytes else {
            throw PostgresValueError("the array's dimensions are cut short")
        }
        let count = try bytes.extracting(12..<16).integer(Int32.self)
        guard count >= 0 else { throw PostgresValueError("the array's count is negative") }
        var elements: [Self] = []
        elements.reserveCapacity(Int(count))
        var offset = headerBytes + dimensionBytes
        for _ in 0..<count {
            guard bytes.byteCount - offset >= 4 else { throw PostgresValueError("the array is cut short") }
            let length = try bytes.extracting(offset..<offset + 4).integer(Int32.self)
            offset += 4
            guard length != PostgresBuffer.nullLength else {
                guard let null else { throw PostgresValueError("an element of the array is NULL") }
                elements.append(null)
                continue
            }
            guard length >= 0, bytes.byteCount - offset >= Int(length) else {
                throw PostgresValueError("the array is cut short")
            }
            elements.append(try Self(decoding: bytes.extracting(offset..<offset + Int(length)), as: elementType))
            offset += Int(length)
        }
        return elements
    }
}

extension UInt8: PostgresEncodable, PostgresDecodable {
    /// `"char"`, PostgreSQL's type of one byte.
    public static var postgresType: PostgresType { .char }

    /// `bytea`: bytes in a row are no array to PostgreSQL.
    public static var postgresArrayType: PostgresType { .bytea }

    /// The bytes as they are.
    public static func encode(array: [Self], into buffer: inout PostgresBuffer) {
        buffer.append(bytes: array)
    }

    /// `bytea` only.
    public static func canDecode(arrayType type: PostgresType) -> Bool { type == .bytea }

    /// Reads the bytes as they are.
    public static func decode(array bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) -> [Self] {
        bytes.copied
    }
}

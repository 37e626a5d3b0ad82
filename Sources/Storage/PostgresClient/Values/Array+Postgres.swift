// Conversions of one-dimensional arrays, and of `bytea`, which is an array of UInt8 in Swift but not in PostgreSQL.

extension Array: PostgresEncodable where Element: PostgresEncodable {
    /// The array type of the element's type; `bytea` for bytes.
    public static var postgresType: PostgresType { Element.postgresArrayType }

    /// Encodes one dimension with lower bound 1.
    public func encode(into buffer: inout PostgresBuffer) {
        Element.encode(array: self, into: &buffer)
    }
}

extension Array: PostgresDecodable where Element: PostgresDecodable {
    /// The name of the array type for errors, such as `an array of bigint`.
    public static var expectedPostgresType: String { "an array of \(Element.expectedPostgresType)" }

    /// Returns whether the type is an array of the element's type.
    public static func canDecode(_ type: PostgresType) -> Bool { Element.canDecode(arrayType: type) }

    /// Decodes a one-dimensional array with any lower bound.
    public init(decoding bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) {
        self = try Element.decode(array: bytes, as: type)
    }
}

extension PostgresEncodable {
    /// The array type of `postgresType`, which must not be an array itself: PostgreSQL has no arrays of arrays.
    public static var postgresArrayType: PostgresType {
        guard let type = postgresType.array else {
            preconditionFailure("the array type of \(postgresType) is unknown")
        }
        return type
    }

    /// Encodes one dimension with lower bound 1 (PostgreSQL's `array_recv`).
    public static func encode(array: [Self], into buffer: inout PostgresBuffer) {
        buffer.appendArrayHeader(of: postgresType, count: array.count)
        for element in array { buffer.appendField(element) }
    }
}

extension PostgresEncodable where Self: FixedWidthInteger & BitwiseCopyable {
    /// Encodes one dimension with lower bound 1, without a call for each element.
    public static func encode(array: [Self], into buffer: inout PostgresBuffer) {
        buffer.appendArrayHeader(of: postgresType, count: array.count)
        buffer.appendFields(array)
    }
}

extension PostgresBuffer {
    fileprivate mutating func appendArrayHeader(of type: PostgresType, count: Int) {
        append(Int32(count == 0 ? 0 : 1))
        append(Int32(1))  // "may contain NULL": a hint that the server does not rely on
        append(type.rawValue)
        guard count > 0 else { return }
        append(Int32(count))
        append(Int32(1))
    }
}

extension PostgresDecodable {
    /// Returns whether the type is an array whose elements can be decoded.
    public static func canDecode(arrayType type: PostgresType) -> Bool {
        type.element.map { canDecode($0) } ?? false
    }

    /// Decodes a one-dimensional array (PostgreSQL's `array_send`).
    public static func decode(array bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) -> [Self] {
        let headerBytes = 12
        let dimensionBytes = 8
        guard bytes.byteCount >= headerBytes else { throw PostgresValueError("the array's header is truncated") }
        let dimensions = try bytes.extracting(0..<4).integer(Int32.self)
        let elementType = PostgresType(rawValue: try bytes.extracting(8..<12).integer(UInt32.self))
        guard dimensions > 0 else { return [] }
        guard dimensions == 1 else { throw PostgresValueError("the array has \(dimensions) dimensions instead of one") }
        guard canDecode(elementType) else { throw PostgresValueError("the array's elements are \(elementType)") }
        guard bytes.byteCount >= headerBytes + dimensionBytes else {
            throw PostgresValueError("the array's dimensions are truncated")
        }
        let count = try bytes.extracting(12..<16).integer(Int32.self)
        guard count >= 0 else { throw PostgresValueError("the array's count is negative") }
        var elements: [Self] = []
        elements.reserveCapacity(Int(count))
        var offset = headerBytes + dimensionBytes
        for _ in 0..<count {
            guard bytes.byteCount - offset >= 4 else { throw PostgresValueError("the array is truncated") }
            let length = try bytes.extracting(offset..<offset + 4).integer(Int32.self)
            offset += 4
            guard length != PostgresBuffer.nullLength else {
                do throws(PostgresValueError) {
                    elements.append(try decodeNull())
                } catch {
                    throw PostgresValueError("an element of the array is \(error.reason)")
                }
                continue
            }
            guard length >= 0, bytes.byteCount - offset >= Int(length) else {
                throw PostgresValueError("the array is truncated")
            }
            elements.append(try Self(decoding: bytes.extracting(offset..<offset + Int(length)), as: elementType))
            offset += Int(length)
        }
        return elements
    }
}

extension UInt8: PostgresEncodable, PostgresDecodable {
    /// `"char"`, PostgreSQL's single-byte type.
    public static var postgresType: PostgresType { .char }

    /// `bytea`: PostgreSQL does not treat a byte string as an array.
    public static var postgresArrayType: PostgresType { .bytea }

    /// Appends the bytes of a `bytea` value.
    public static func encode(array: [Self], into buffer: inout PostgresBuffer) {
        buffer.append(bytes: array)
    }

    /// Returns whether the type is `bytea`.
    public static func canDecode(arrayType type: PostgresType) -> Bool { type == .bytea }

    /// Decodes the bytes.
    public static func decode(array bytes: RawSpan, as type: PostgresType) throws(PostgresValueError) -> [Self] {
        bytes.copied
    }
}

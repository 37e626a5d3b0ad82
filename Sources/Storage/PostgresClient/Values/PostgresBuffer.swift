/// A buffer of values in PostgreSQL's binary format, each preceded by its length.
///
/// The layout is that of a Bind message, of array elements and of a row in binary COPY: a length of four bytes,
/// big-endian, then the value. NULL is the length -1 without a value.
public struct PostgresBuffer: Sendable {
    /// The length that denotes NULL.
    static let nullLength: Int32 = -1

    /// The bytes appended so far.
    var bytes: [UInt8] = []
    private var fieldIsNull = false

    /// Appends an integer in network byte order.
    public mutating func append(_ integer: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: integer.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends bytes unchanged.
    public mutating func append(bytes: some Sequence<UInt8>) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Encodes NULL for the current value.
    ///
    /// Nothing else may be appended for it.
    public mutating func appendNull() {
        fieldIsNull = true
    }

    /// Appends a value preceded by its length.
    mutating func appendField(_ value: some PostgresEncodable) {
        let start = bytes.count
        append(Int32(0))
        let contentStart = bytes.count
        value.encode(into: &self)
        if fieldIsNull {
            precondition(bytes.count == contentStart, "a NULL value has no bytes")
            setLength(Self.nullLength, at: start)
            fieldIsNull = false
        } else {
            // PostgreSQL rejects values of 1 GiB and more, so the length fits.
            setLength(Int32(bytes.count - contentStart), at: start)
        }
    }

    /// Encodes values, each preceded by its length.
    /// - Returns: the declared types of the values, and the values.
    static func encode<each Value: PostgresEncodable>(_ values: repeat each Value) -> ([PostgresType], Self) {
        var count = 0
        for _ in repeat (each Value).self { count += 1 }
        var types: [PostgresType] = []
        types.reserveCapacity(count)
        var buffer = Self()
        // Most values have sixteen bytes or less.
        buffer.bytes.reserveCapacity(count * 20)
        for value in repeat each values {
            types.append(type(of: value).postgresType)
            buffer.appendField(value)
        }
        return (types, buffer)
    }

    /// Appends integers, each preceded by its length.
    mutating func appendFields<Integer: FixedWidthInteger & BitwiseCopyable>(_ integers: [Integer]) {
        let size = MemoryLayout<Integer>.size
        var offset = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: integers.count * (4 + size)))
        unsafe bytes.withUnsafeMutableBytes { bytes in
            for integer in integers {
                unsafe bytes.storeBytes(of: Int32(size).bigEndian, toByteOffset: offset, as: Int32.self)
                unsafe bytes.storeBytes(of: integer.bigEndian, toByteOffset: offset + 4, as: Integer.self)
                offset += 4 + size
            }
        }
    }

    /// The lengths of the values, in order.
    ///
    /// Requires that only fields were appended.
    var fieldLengths: [Int32] {
        var lengths: [Int32] = []
        var offset = 0
        while offset < bytes.count {
            lengths.append(nextField(from: &offset).map { Int32($0.count) } ?? Self.nullLength)
        }
        return lengths
    }

    /// Finds a value; requires that only fields were appended.
    /// - Parameter offset: where its field begins; afterwards, where the next one does.
    /// - Returns: where its bytes are; nil for NULL.
    func nextField(from offset: inout Int) -> Range<Int>? {
        let length = unsafe bytes.withUnsafeBytes {
            Int32(bigEndian: unsafe $0.loadUnaligned(fromByteOffset: offset, as: Int32.self))
        }
        let start = offset + 4
        offset = start + max(0, Int(length))
        return length == Self.nullLength ? nil : start..<offset
    }

    private mutating func setLength(_ length: Int32, at start: Int) {
        unsafe bytes.withUnsafeMutableBytes {
            unsafe $0.storeBytes(of: length.bigEndian, toByteOffset: start, as: Int32.self)
        }
    }
}

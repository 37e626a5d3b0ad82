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

    /// The lengths of the values, in order.
    ///
    /// Requires that only fields were appended.
    var fieldLengths: [Int32] {
        var lengths: [Int32] = []
        var offset = 0
        while offset < bytes.count {
            let length = bytes[offset..<offset + 4].reduce(Int32(0)) { $0 << 8 | Int32($1) }
            lengths.append(length)
            offset += 4 + max(0, Int(length))
        }
        return lengths
    }

    /// Calls a closure with each value, in order; nil for NULL.
    ///
    /// Requires that only fields were appended.
    func forEachField(_ body: (ArraySlice<UInt8>?) -> Void) {
        var offset = 0
        for length in fieldLengths {
            let start = offset + 4
            offset = start + max(0, Int(length))
            body(length < 0 ? nil : bytes[start..<offset])
        }
    }

    private mutating func setLength(_ length: Int32, at start: Int) {
        for index in 0..<4 {
            bytes[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * index))
        }
    }
}

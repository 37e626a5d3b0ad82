/// Values in PostgreSQL's binary format, one after the other, each behind its length.
///
/// The layout is that of a Bind message, of an array's elements and of a row of binary COPY: four bytes of length,
/// big-endian, then the value; NULL is the length -1 alone.
public struct PostgresBuffer: Sendable {
    /// What the length of NULL is.
    static let nullLength: Int32 = -1

    /// Everything appended so far.
    var bytes: [UInt8] = []
    private var fieldIsNull = false

    /// Appends an integer in network byte order.
    public mutating func append(_ integer: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: integer.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends bytes as they are.
    public mutating func append(bytes: some Sequence<UInt8>) {
        self.bytes.append(contentsOf: bytes)
    }

    /// Makes the value being encoded NULL; nothing may be appended for it besides.
    public mutating func appendNull() {
        fieldIsNull = true
    }

    /// Appends one value behind its length.
    mutating func appendField(_ value: some PostgresEncodable) {
        let start = bytes.count
        append(Int32(0))
        let contentStart = bytes.count
        value.encode(into: &self)
        if fieldIsNull {
            precondition(bytes.count == contentStart, "a NULL carries no bytes")
            setLength(Self.nullLength, at: start)
            fieldIsNull = false
        } else {
            // PostgreSQL refuses values of 1 GiB and more; beyond Int32 the program has lost its way.
            setLength(Int32(bytes.count - contentStart), at: start)
        }
    }

    /// The lengths of the values, in order, when nothing but fields was appended.
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

    /// Goes through the values, in order, when nothing but fields was appended; nil stands for NULL.
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

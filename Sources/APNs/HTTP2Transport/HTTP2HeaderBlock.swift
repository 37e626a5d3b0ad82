import CNGHTTP2

/// Immutable header fields in one contiguous buffer that never moves.
///
/// Copies share the bytes. nghttp2 receives pointers into the buffer, which are valid while a copy of the block exists.
/// Received fields become strings only on access. Each field consists of two lengths, then the bytes of its name and of
/// its value.
///
/// Several blocks may share a buffer, each with its own part.
///
/// `@unchecked Sendable` because the bytes of a block are written before the block is shared, and never again; the
/// parts of blocks that share a buffer do not overlap.
@safe
struct HTTP2HeaderBlock: @unchecked Sendable {
    /// One field, as pointers that are valid while the block exists.
    @safe
    struct Field {
        let name: UnsafeBufferPointer<UInt8>
        let value: UnsafeBufferPointer<UInt8>
        let isIndexed: Bool
        /// The offset of the next field.
        let end: Int
    }

    /// The header of each field: the lengths of name and value; the value's highest bit is `isIndexed`.
    fileprivate typealias Counts = (name: UInt32, value: UInt32)
    private static let indexedBit: UInt32 = 1 << 31

    static let empty = Self([])

    /// An object with inline storage of bytes.
    fileprivate typealias Buffer = ManagedBuffer<Void, UInt8>

    private let buffer: Buffer
    private let start: Int
    /// The number of bytes.
    let count: Int

    /// Creates a block from two lists of fields, in order.
    init(_ fields: [HTTP2Header], _ more: [HTTP2Header] = []) {
        self.init(count: Self.byteCount(fields) + Self.byteCount(more))
        write(more, from: write(fields, from: 0))
    }

    /// Creates a block from the bytes of encoded fields.
    init(copying encoded: [UInt8]) {
        self.init(count: encoded.count)
        unsafe encoded.withUnsafeBytes {
            unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count).copyMemory(from: $0)
        }
    }

    /// The bytes of the encoded fields.
    var copiedBytes: [UInt8] { unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count)) }

    /// Sets the length of the value of the last encoded field, which begins at `start`.
    static func setValueBytes(ofFieldAt start: Int, in encoded: inout [UInt8], nameBytes: Int, _ isIndexed: Bool) {
        let valueBytes = encoded.count - start - byteCount(name: nameBytes, value: 0)
        unsafe encoded.withUnsafeMutableBytes { bytes in
            let counts = counts(nameBytes, valueBytes, isIndexed: isIndexed)
            unsafe bytes.storeBytes(of: counts, toByteOffset: start, as: Counts.self)
        }
    }

    private static func byteCount(_ fields: [HTTP2Header]) -> Int {
        fields.reduce(0) { $0 + byteCount(name: $1.name.utf8.count, value: $1.value.utf8.count) }
    }

    /// Writes fields at an offset.
    ///
    /// - Returns: the offset of their end.
    @discardableResult
    private func write(_ fields: [HTTP2Header], from start: Int) -> Int {
        var offset = start
        for field in fields {
            unsafe field.name.utf8Span.span.withUnsafeBufferPointer { name in
                unsafe field.value.utf8Span.span.withUnsafeBufferPointer { value in
                    unsafe offset += Self.write(name, value, isIndexed: field.isIndexed, to: bytes + offset)
                }
            }
        }
        return offset
    }

    /// Creates a block whose bytes are not yet written.
    private init(count: Int) {
        self.init(Buffer.create(minimumCapacity: count) { _ in }, from: 0, count: count)
    }

    /// Creates a block of bytes that are already written.
    fileprivate init(_ buffer: Buffer, from start: Int, count: Int) {
        self.buffer = buffer
        self.start = start
        self.count = count
    }

    /// The bytes, valid while a copy of the block exists.
    private var bytes: UnsafeMutableRawPointer { unsafe Self.bytes(of: buffer) + start }

    fileprivate static func bytes(of buffer: Buffer) -> UnsafeMutableRawPointer {
        unsafe buffer.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }

    /// Returns the field at an offset: 0, or the end of another field.
    func field(at offset: Int) -> Field {
        precondition(offset >= 0 && offset < count, "the offset is not that of a field")
        let place = unsafe bytes + offset
        let counts = unsafe place.loadUnaligned(as: Counts.self)
        let nameCount = Int(counts.name)
        let valueCount = Int(counts.value & ~Self.indexedBit)
        let name = unsafe (place + MemoryLayout<Counts>.size).assumingMemoryBound(to: UInt8.self)
        return unsafe Field(
            name: UnsafeBufferPointer(start: name, count: nameCount),
            value: UnsafeBufferPointer(start: name + nameCount, count: valueCount),
            isIndexed: counts.value & Self.indexedBit != 0,
            end: offset + Self.byteCount(name: nameCount, value: valueCount)
        )
    }

    static func byteCount(name: Int, value: Int) -> Int { MemoryLayout<Counts>.size + name + value }

    private static func counts(_ name: Int, _ value: Int, isIndexed: Bool) -> Counts {
        Counts(UInt32(name), UInt32(value) | (isIndexed ? indexedBit : 0))
    }

    /// Writes one field, and returns the number of written bytes.
    fileprivate static func write(
        _ name: UnsafeBufferPointer<UInt8>,
        _ value: UnsafeBufferPointer<UInt8>,
        isIndexed: Bool,
        to place: UnsafeMutableRawPointer
    ) -> Int {
        unsafe place.storeBytes(of: counts(name.count, value.count, isIndexed: isIndexed), as: Counts.self)
        let nameStart = unsafe place + MemoryLayout<Counts>.size
        unsafe UnsafeMutableRawBufferPointer(start: nameStart, count: name.count).copyMemory(from: .init(name))
        let valueStart = unsafe nameStart + name.count
        unsafe UnsafeMutableRawBufferPointer(start: valueStart, count: value.count).copyMemory(from: .init(value))
        return byteCount(name: name.count, value: value.count)
    }
}

/// Collects the fields of incoming messages.
///
/// Many messages share a buffer, to save allocations; a buffer lives as long as any of its messages.
@safe
struct HTTP2HeaderCollector {
    /// The size of a new buffer, which has room for the fields of about fifty responses of APNs.
    private static let bufferBytes = 4096

    private var buffer = HTTP2HeaderBlock.Buffer.create(minimumCapacity: bufferBytes) { _ in }
    private var capacity = bufferBytes
    /// The offset of the current message.
    private var start = 0
    /// The number of bytes of the current message so far.
    private(set) var count = 0

    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        let added = HTTP2HeaderBlock.byteCount(name: name.count, value: value.count)
        if start + count + added > capacity { moveToNewBuffer(for: added) }
        let place = unsafe HTTP2HeaderBlock.bytes(of: buffer) + start + count
        count += unsafe HTTP2HeaderBlock.write(name, value, isIndexed: true, to: place)
    }

    /// Discards the fields of the current message.
    mutating func removeAll() {
        count = 0
    }

    /// Returns the fields so far, and begins the next message after them.
    mutating func take() -> HTTP2HeaderBlock {
        defer {
            start += count
            count = 0
        }
        return HTTP2HeaderBlock(buffer, from: start, count: count)
    }

    private mutating func moveToNewBuffer(for added: Int) {
        // Doubled, so that a growing message is rarely moved.
        capacity = max(Self.bufferBytes, 2 * (count + added))
        let new = HTTP2HeaderBlock.Buffer.create(minimumCapacity: capacity) { _ in }
        let old = unsafe HTTP2HeaderBlock.bytes(of: buffer) + start
        unsafe HTTP2HeaderBlock.bytes(of: new).copyMemory(from: old, byteCount: count)
        buffer = new
        start = 0
    }
}

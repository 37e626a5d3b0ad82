import CNGHTTP2

/// Header fields as bytes, in one piece that never moves and never changes.
///
/// Copies share the bytes. So nghttp2 can be given pointers into it instead of copies, as long as there is a copy; and what
/// is received needs no text until somebody asks. Each field is two counts, then the bytes of its name and of its value.
///
/// Blocks may share a buffer, each with a part of its own.
///
/// `@unchecked Sendable` because a block's bytes are written before anybody else has the block, and never again; blocks that
/// share a buffer have parts of it that do not meet.
@safe
struct HTTP2HeaderBlock: @unchecked Sendable {
    /// One field, as pointers that are valid while the block is.
    @safe
    struct Field {
        let name: UnsafeBufferPointer<UInt8>
        let value: UnsafeBufferPointer<UInt8>
        let isIndexed: Bool
        /// Where the next field begins.
        let end: Int
    }

    /// Before each field: the bytes of the name, and of the value with the highest bit for `isIndexed`.
    fileprivate typealias Counts = (name: UInt32, value: UInt32)
    private static let indexedBit: UInt32 = 1 << 31

    static let empty = Self([])

    /// An object that is nothing but bytes, which do not move.
    fileprivate typealias Buffer = ManagedBuffer<Void, UInt8>

    private let buffer: Buffer
    private let start: Int
    /// How many bytes there are.
    let count: Int

    /// The fields in that order, all of the first before those of the second.
    init(_ fields: [HTTP2Header], _ more: [HTTP2Header] = []) {
        self.init(count: Self.byteCount(fields) + Self.byteCount(more))
        write(more, from: write(fields, from: 0))
    }

    private static func byteCount(_ fields: [HTTP2Header]) -> Int {
        fields.reduce(0) { $0 + byteCount(name: $1.name.utf8.count, value: $1.value.utf8.count) }
    }

    /// - Returns: where they end.
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

    /// Bytes that are still to be written.
    private init(count: Int) {
        self.init(Buffer.create(minimumCapacity: count) { _ in }, from: 0, count: count)
    }

    /// Bytes that are written.
    fileprivate init(_ buffer: Buffer, from start: Int, count: Int) {
        self.buffer = buffer
        self.start = start
        self.count = count
    }

    /// Valid while there is a copy of this.
    private var bytes: UnsafeMutableRawPointer { unsafe Self.bytes(of: buffer) + start }

    fileprivate static func bytes(of buffer: Buffer) -> UnsafeMutableRawPointer {
        unsafe buffer.withUnsafeMutablePointerToElements { UnsafeMutableRawPointer($0) }
    }

    /// The field that begins there; 0, or the end of another one that is not the last.
    func field(at offset: Int) -> Field {
        precondition(offset >= 0 && offset < count, "no field begins there")
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

    /// Writes one field, and returns how many bytes that took.
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

/// Collects fields as they arrive one by one, message after message.
///
/// Many messages share a buffer, so that each costs no allocation; a buffer lives as long as one of its messages.
@safe
struct HTTP2HeaderCollector {
    /// Some fifty answers of APNs.
    private static let bufferBytes = 4096

    private var buffer = HTTP2HeaderBlock.Buffer.create(minimumCapacity: bufferBytes) { _ in }
    private var capacity = bufferBytes
    /// Where the message begins.
    private var start = 0
    /// What the fields so far take in a block.
    private(set) var count = 0

    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        let added = HTTP2HeaderBlock.byteCount(name: name.count, value: value.count)
        if start + count + added > capacity { moveToNewBuffer(for: added) }
        let place = unsafe HTTP2HeaderBlock.bytes(of: buffer) + start + count
        count += unsafe HTTP2HeaderBlock.write(name, value, isIndexed: true, to: place)
    }

    /// Forgets the fields that were not taken.
    mutating func removeAll() {
        count = 0
    }

    /// The fields so far; the next message begins behind them.
    mutating func take() -> HTTP2HeaderBlock {
        defer {
            start += count
            count = 0
        }
        return HTTP2HeaderBlock(buffer, from: start, count: count)
    }

    private mutating func moveToNewBuffer(for added: Int) {
        // Twice as much: a message that goes on growing moves seldom.
        capacity = max(Self.bufferBytes, 2 * (count + added))
        let new = HTTP2HeaderBlock.Buffer.create(minimumCapacity: capacity) { _ in }
        let old = unsafe HTTP2HeaderBlock.bytes(of: buffer) + start
        unsafe HTTP2HeaderBlock.bytes(of: new).copyMemory(from: old, byteCount: count)
        buffer = new
        start = 0
    }
}

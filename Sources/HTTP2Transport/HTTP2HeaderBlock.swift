import CNGHTTP2

/// Header fields as bytes, in one piece that never moves and never changes.
///
/// Copies share the bytes. So nghttp2 can be given pointers into it instead of copies, as long as there is a copy; and what is received
/// needs no text until somebody asks. Each field is two counts, then the bytes of its name and of its value.
///
/// `@unchecked Sendable` because the bytes are written while it is made, and only then.
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

    /// How many bytes there are, with them behind it in the same object, which does not move.
    private let buffer: ManagedBuffer<Int, UInt8>

    /// The fields in that order.
    init(_ fields: [HTTP2Header]) {
        let count = fields.reduce(0) { $0 + Self.byteCount(name: $1.name.utf8.count, value: $1.value.utf8.count) }
        self.init(count: count)
        var offset = 0
        for field in fields {
            var (name, value) = (field.name, field.value)
            name.withUTF8 { name in
                value.withUTF8 { value in
                    unsafe offset += Self.write(name, value, isIndexed: field.isIndexed, to: bytes + offset)
                }
            }
        }
    }

    /// A copy of what was collected.
    init(copying collected: HTTP2HeaderCollector) {
        self.init(count: collected.count)
        unsafe UnsafeMutableRawBufferPointer(start: bytes, count: count).copyBytes(from: collected.bytes)
    }

    /// Bytes that are still to be written.
    private init(count: Int) {
        buffer = ManagedBuffer<Int, UInt8>.create(minimumCapacity: count) { _ in count }
    }

    /// How many bytes there are.
    var count: Int { buffer.header }

    /// Valid while there is a copy of this.
    private var bytes: UnsafeMutableRawPointer {
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

    fileprivate static func counts(_ name: Int, _ value: Int, isIndexed: Bool) -> Counts {
        Counts(UInt32(name), UInt32(value) | (isIndexed ? indexedBit : 0))
    }

    /// Writes one field, and returns how many bytes that took.
    private static func write(
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

/// Collects fields as they arrive one by one; it is used again for the next message.
struct HTTP2HeaderCollector {
    fileprivate private(set) var bytes: [UInt8] = []

    /// What the fields so far take in a block.
    var count: Int { bytes.count }

    mutating func append(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) {
        unsafe withUnsafeBytes(of: HTTP2HeaderBlock.counts(name.count, value.count, isIndexed: true)) { counts in
            unsafe bytes.append(contentsOf: counts)
        }
        unsafe bytes.append(contentsOf: name)
        unsafe bytes.append(contentsOf: value)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }
}

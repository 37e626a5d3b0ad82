import Encodings
import Foundation
import ServiceRuntime
import Synchronization

/// A push to one of a plan's phones, as it arrived at the server that accepts every push.
struct PushArrival: Hashable, Sendable {
    /// The phone.
    let phone: PhoneNumber
    /// When the server accepted it.
    let at: Timestamp
    /// The number of events that its state includes.
    let sequence: Int32
    /// Whether it has priority 10.
    let isHigh: Bool
    let hasAlert: Bool
    let isEnd: Bool
}

/// One of a plan's phones: the party's number and the seat.
struct PhoneNumber: Hashable, Sendable, Comparable {
    private let value: Int

    init(_ party: Int, seat: Int) { value = party << 8 | seat }

    static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

extension PushArrival {
    private static let pathPrefix = "/3/device/"

    /// Reads a push; nil unless its token is one of ``FixturePlan/tokens(_:)`` and its payload has a state.
    init?(path: String, priority: String?, body: [UInt8], at moment: Timestamp) {
        let digits = path.utf8.dropFirst(Self.pathPrefix.utf8.count)
        // The number is in the bytes 0 to 5 of a token, the seat in byte 9.
        guard let party = Int(Substring(digits.prefix(12)), radix: 16),
            let seat = Int(Substring(digits.dropFirst(18).prefix(2)), radix: 16),
            let (head, sequence) = Self.parse(body)
        else { return nil }
        phone = PhoneNumber(party, seat: seat)
        at = moment
        self.sequence = sequence
        isHigh = priority == "10"
        (hasAlert, isEnd) = (head.hasAlert, head.isEnd)
    }

    /// Searches a payload for what is of interest, since decoding it would cost more than receiving it.
    ///
    /// The keys are not in any text of a payload, where quotation marks are escaped. The state is the last value, and its
    /// sequence is near the end.
    private static func parse(_ body: [UInt8]) -> (head: (hasAlert: Bool, isEnd: Bool), sequence: Int32)? {
        body.withUnsafeBytes { bytes in
            guard let state = index(of: #""content-state":"#, in: bytes, among: 0..<bytes.count),
                let key = index(of: #""sequence":"#, in: bytes, among: (state..<bytes.count).reversed())
            else { return nil }
            var sequence: Int32 = 0
            for byte in bytes[(key + 11)...] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
                sequence = sequence * 10 + Int32(byte - UInt8(ascii: "0"))
            }
            let hasAlert = index(of: #""alert":"#, in: bytes, among: 0..<state) != nil
            let isEnd = index(of: #""event":"end""#, in: bytes, among: 0..<state) != nil
            return ((hasAlert, isEnd), sequence)
        }
    }

    /// Returns the first of some indices at which a text begins.
    @inline(__always)
    private static func index(
        of text: StaticString,
        in bytes: UnsafeRawBufferPointer,
        among indices: some Sequence<Int>
    ) -> Int? {
        guard let base = bytes.baseAddress else { return nil }
        let count = text.utf8CodeUnitCount
        return indices.first { index in
            bytes[index] == text.utf8Start[0] && bytes[min(index + 1, bytes.count - 1)] == text.utf8Start[1]
                && index + count <= bytes.count && memcmp(base + index, text.utf8Start, count) == 0
        }
    }

    /// Reads the pushes that a ``PushArrivalLog`` has written, in the order of phones and moments.
    /// - Throws: the error of reading the file.
    static func read(from path: String) throws -> [Self] {
        let data = try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
        let size = MemoryLayout<Self>.stride
        let arrivals = data.withUnsafeBytes { bytes in
            (0..<bytes.count / size).map { bytes.loadUnaligned(fromByteOffset: $0 * size, as: Self.self) }
        }
        return arrivals.sorted { ($0.phone, $0.at) < ($1.phone, $1.at) }
    }
}

/// The file with the pushes that a server accepted, written by a separate thread every tenth of a second.
final class PushArrivalLog: Sendable {
    /// After this time, everything that arrived before is in the file.
    static let delay = Duration.milliseconds(500)

    private let buffer = Mutex<[PushArrival]>([])

    /// Creates the file.
    /// - Throws: the error of creating it.
    init(path: String) throws {
        try Data().write(to: URL(filePath: path))
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        Thread.detachNewThread { [self] in
            while true {
                Thread.sleep(forTimeInterval: Self.delay / .seconds(5))
                let arrivals = buffer.withLock { buffer in
                    defer { buffer.removeAll(keepingCapacity: true) }
                    return buffer
                }
                // The reader of an incomplete file finds pushes missing.
                arrivals.withUnsafeBytes { bytes in try? file.write(contentsOf: Data(bytes)) }
            }
        }
    }

    func append(_ arrival: PushArrival) { buffer.withLock { $0.append(arrival) } }
}

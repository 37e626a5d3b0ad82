import CNGHTTP2
import Glibc

/// The memory of one nghttp2 session: what nghttp2 gives back is kept, by size, for when it next wants as much.
///
/// nghttp2 takes and returns many pieces for each push, in bursts of a thousand streams: more than the C library keeps
/// at hand for a thread, so that it would join and split pieces, under a lock, all the time. One thread uses this at a
/// time. Small pieces go back to the C library when the session is gone: as much as its busiest moment needed.
@safe
final class HTTP2SessionMemory {
    /// Sizes of pieces are multiples of this.
    private static let stepBytes = 64
    /// What does not fit into so many steps comes from the C library, piece by piece.
    private static let maxSteps = 32
    /// Before each piece: how many steps it has; 0 for one of the C library's.
    ///
    /// It keeps pieces aligned as malloc does.
    private static let headerBytes = 16
    private static let piecesPerSlab = 32

    /// The first free piece of each number of steps; it begins with the address of the next.
    private let free: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var slabs: [UnsafeMutableRawPointer] = unsafe []

    /// A memory that holds nothing yet.
    init() {
        unsafe free = .allocate(capacity: Self.maxSteps + 1)
        unsafe free.initialize(repeating: nil, count: Self.maxSteps + 1)
    }

    deinit {
        unsafe free.deallocate()
        while let slab = unsafe slabs.popLast() { unsafe Glibc.free(slab) }
    }

    /// What a new session is given, and copies; this object has to outlive that session.
    var functions: nghttp2_mem {
        unsafe nghttp2_mem(
            mem_user_data: Unmanaged.passUnretained(self).toOpaque(),
            malloc: { count, memory in unsafe HTTP2SessionMemory.using(memory) { unsafe $0.take(count) } },
            free: { piece, memory in unsafe HTTP2SessionMemory.using(memory) { unsafe $0.giveBack(piece) } },
            calloc: { number, each, memory in
                unsafe HTTP2SessionMemory.using(memory) { unsafe $0.takeZeroed(number, each) }
            },
            realloc: { piece, count, memory in
                unsafe HTTP2SessionMemory.using(memory) { unsafe $0.resize(piece, to: count) }
            }
        )
    }

    /// Calls the body with the memory that was given as user data; its session keeps it alive.
    private static func using<Result>(
        _ userData: UnsafeMutableRawPointer?,
        _ body: (HTTP2SessionMemory) -> Result
    ) -> Result {
        guard let userData = unsafe userData else { preconditionFailure("a session without its memory") }
        return unsafe Unmanaged<HTTP2SessionMemory>.fromOpaque(userData)._withUnsafeGuaranteedRef(body)
    }

    private func take(_ count: Int) -> UnsafeMutableRawPointer? {
        guard let steps = Self.steps(for: count) else {
            let (whole, isTooMuch) = count.addingReportingOverflow(Self.headerBytes)
            return isTooMuch ? nil : unsafe Self.mark(malloc(whole), steps: 0)
        }
        guard let piece = unsafe free[steps] ?? addSlab(steps) else { return nil }
        unsafe free[steps] = piece.load(as: UnsafeMutableRawPointer?.self)
        return unsafe piece
    }

    private func takeZeroed(_ number: Int, _ each: Int) -> UnsafeMutableRawPointer? {
        let (count, isTooMuch) = number.multipliedReportingOverflow(by: each)
        guard !isTooMuch, let piece = unsafe take(count) else { return nil }
        unsafe memset(piece, 0, count)
        return unsafe piece
    }

    private func giveBack(_ piece: UnsafeMutableRawPointer?) {
        guard let piece = unsafe piece else { return }
        let steps = unsafe Self.steps(of: piece)
        guard steps > 0 else { return unsafe Glibc.free(piece - Self.headerBytes) }
        unsafe piece.storeBytes(of: free[steps], as: UnsafeMutableRawPointer?.self)
        unsafe free[steps] = piece
    }

    private func resize(_ piece: UnsafeMutableRawPointer?, to count: Int) -> UnsafeMutableRawPointer? {
        guard let piece = unsafe piece else { return unsafe take(count) }
        let steps = unsafe Self.steps(of: piece)
        guard steps > 0 else {
            // It stays one of the C library's, however small it gets.
            let (whole, isTooMuch) = count.addingReportingOverflow(Self.headerBytes)
            return isTooMuch ? nil : unsafe Self.mark(realloc(piece - Self.headerBytes, whole), steps: 0)
        }
        let capacity = steps * Self.stepBytes - Self.headerBytes
        if count <= capacity { return unsafe piece }
        guard let larger = unsafe take(count) else { return nil }
        unsafe larger.copyMemory(from: piece, byteCount: capacity)
        unsafe giveBack(piece)
        return unsafe larger
    }

    /// Makes pieces of so many steps, and returns the first; nil when there is no memory.
    private func addSlab(_ steps: Int) -> UnsafeMutableRawPointer? {
        let pieceBytes = steps * Self.stepBytes
        guard let slab = unsafe malloc(Self.piecesPerSlab * pieceBytes) else { return nil }
        unsafe slabs.append(slab)
        for index in 0..<Self.piecesPerSlab {
            unsafe giveBack(Self.mark(slab + index * pieceBytes, steps: steps))
        }
        return unsafe free[steps]
    }

    /// Nil when so many bytes are too many for pieces of our own.
    private static func steps(for count: Int) -> Int? {
        guard count <= maxSteps * stepBytes - headerBytes else { return nil }
        return (count + headerBytes + stepBytes - 1) / stepBytes
    }

    private static func steps(of piece: UnsafeMutableRawPointer) -> Int {
        unsafe (piece - headerBytes).load(as: Int.self)
    }

    /// Writes the header; what follows it is the piece.
    private static func mark(_ place: UnsafeMutableRawPointer?, steps: Int) -> UnsafeMutableRawPointer? {
        guard let place = unsafe place else { return nil }
        unsafe place.storeBytes(of: steps, as: Int.self)
        return unsafe place + headerBytes
    }
}

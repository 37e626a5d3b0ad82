import CNGHTTP2
import Glibc

/// The allocator of one nghttp2 session, which keeps freed blocks in free lists by size.
///
/// nghttp2 allocates and frees many blocks for each push, in bursts of a thousand streams. That is more than the C
/// library caches for a thread, so that it would constantly merge and split blocks, under a lock. One thread at a time
/// uses this object. It returns small blocks to the C library when the session ends, and until then holds as much as
/// the session's peak.
@safe
final class HTTP2SessionMemory {
    /// The unit of block sizes: each size is a multiple of it.
    private static let stepBytes = 64
    /// The size limit of blocks from free lists, in steps; the C library allocates larger blocks.
    private static let maxSteps = 32
    /// The size of the header before each block: its number of steps, or 0 for a block of the C library.
    ///
    /// This size keeps blocks aligned like those of malloc.
    private static let headerBytes = 16
    private static let blocksPerSlab = 32

    /// The first free block of each number of steps; each free block begins with the address of the next.
    private let free: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private var slabs: [UnsafeMutableRawPointer] = unsafe []

    /// Creates an allocator without blocks.
    init() {
        unsafe free = .allocate(capacity: Self.maxSteps + 1)
        unsafe free.initialize(repeating: nil, count: Self.maxSteps + 1)
    }

    deinit {
        unsafe free.deallocate()
        while let slab = unsafe slabs.popLast() { unsafe Glibc.free(slab) }
    }

    /// The functions for a new session, which copies them; this object must outlive the session.
    var functions: nghttp2_mem {
        unsafe nghttp2_mem(
            mem_user_data: Unmanaged.passUnretained(self).toOpaque(),
            malloc: { count, memory in unsafe HTTP2SessionMemory.using(memory) { unsafe $0.allocate(count) } },
            free: { block, memory in unsafe HTTP2SessionMemory.using(memory) { unsafe $0.deallocate(block) } },
            calloc: { number, each, memory in
                unsafe HTTP2SessionMemory.using(memory) { unsafe $0.allocateZeroed(number, each) }
            },
            realloc: { block, count, memory in
                unsafe HTTP2SessionMemory.using(memory) { unsafe $0.resize(block, to: count) }
            }
        )
    }

    /// Calls a closure with the allocator in the user data; the session keeps it alive.
    private static func using<Result>(
        _ userData: UnsafeMutableRawPointer?,
        _ body: (HTTP2SessionMemory) -> Result
    ) -> Result {
        guard let userData = unsafe userData else { preconditionFailure("a session without its memory") }
        return unsafe Unmanaged<HTTP2SessionMemory>.fromOpaque(userData)._withUnsafeGuaranteedRef(body)
    }

    private func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard let steps = Self.steps(for: count) else {
            let (total, overflows) = count.addingReportingOverflow(Self.headerBytes)
            return overflows ? nil : unsafe Self.mark(malloc(total), steps: 0)
        }
        guard let block = unsafe free[steps] ?? addSlab(steps) else { return nil }
        unsafe free[steps] = block.load(as: UnsafeMutableRawPointer?.self)
        return unsafe block
    }

    private func allocateZeroed(_ number: Int, _ each: Int) -> UnsafeMutableRawPointer? {
        let (count, overflows) = number.multipliedReportingOverflow(by: each)
        guard !overflows, let block = unsafe allocate(count) else { return nil }
        unsafe memset(block, 0, count)
        return unsafe block
    }

    private func deallocate(_ block: UnsafeMutableRawPointer?) {
        guard let block = unsafe block else { return }
        let steps = unsafe Self.steps(of: block)
        guard steps > 0 else { return unsafe Glibc.free(block - Self.headerBytes) }
        unsafe block.storeBytes(of: free[steps], as: UnsafeMutableRawPointer?.self)
        unsafe free[steps] = block
    }

    private func resize(_ block: UnsafeMutableRawPointer?, to count: Int) -> UnsafeMutableRawPointer? {
        guard let block = unsafe block else { return unsafe allocate(count) }
        let steps = unsafe Self.steps(of: block)
        guard steps > 0 else {
            // The block remains one of the C library, whatever its size.
            let (total, overflows) = count.addingReportingOverflow(Self.headerBytes)
            return overflows ? nil : unsafe Self.mark(realloc(block - Self.headerBytes, total), steps: 0)
        }
        let capacity = steps * Self.stepBytes - Self.headerBytes
        if count <= capacity { return unsafe block }
        guard let larger = unsafe allocate(count) else { return nil }
        unsafe larger.copyMemory(from: block, byteCount: capacity)
        unsafe deallocate(block)
        return unsafe larger
    }

    /// Allocates blocks with this number of steps, and returns the first; nil if there is no memory.
    private func addSlab(_ steps: Int) -> UnsafeMutableRawPointer? {
        let blockBytes = steps * Self.stepBytes
        guard let slab = unsafe malloc(Self.blocksPerSlab * blockBytes) else { return nil }
        unsafe slabs.append(slab)
        for index in 0..<Self.blocksPerSlab {
            unsafe deallocate(Self.mark(slab + index * blockBytes, steps: steps))
        }
        return unsafe free[steps]
    }

    /// Returns the number of steps for a size, or nil if the C library must allocate the block.
    private static func steps(for count: Int) -> Int? {
        guard count <= maxSteps * stepBytes - headerBytes else { return nil }
        return (count + headerBytes + stepBytes - 1) / stepBytes
    }

    private static func steps(of block: UnsafeMutableRawPointer) -> Int {
        unsafe (block - headerBytes).load(as: Int.self)
    }

    /// Writes the header, and returns the block after it; nil if the allocation failed.
    private static func mark(_ place: UnsafeMutableRawPointer?, steps: Int) -> UnsafeMutableRawPointer? {
        guard let place = unsafe place else { return nil }
        unsafe place.storeBytes(of: steps, as: Int.self)
        return unsafe place + headerBytes
    }
}

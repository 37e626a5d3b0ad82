import CNGHTTP2
import Testing

@testable import HTTP2Transport

/// The allocator, called in the same way as by nghttp2.
struct SessionMemoryTests {
    /// Sizes at the limits of the allocator's own blocks, and larger ones.
    private static let counts = [0, 1, 48, 49, 112, 2_032, 2_033, 100_000]

    private let memory = HTTP2SessionMemory()

    @Test(arguments: counts)
    func `a block is aligned and keeps its content`(count: Int) throws {
        let blocks = try (0..<100).map { _ in try #require(allocate(count)) }
        for (index, block) in blocks.enumerated() {
            #expect(Int(bitPattern: block) % 16 == 0)
            block.initializeMemory(as: UInt8.self, repeating: UInt8(index), count: count)
        }
        for (index, block) in blocks.enumerated() {
            let bytes = UnsafeRawBufferPointer(start: block, count: count)
            #expect(bytes.allSatisfy { $0 == UInt8(index) })
            deallocate(block)
        }
    }

    @Test func `a freed block is reused`() throws {
        let block = try #require(allocate(200))
        deallocate(block)
        let next = try #require(allocate(190))
        #expect(next == block)
        deallocate(next)
    }

    @Test(arguments: counts.dropFirst())
    func `calloc returns a reused block with zeros`(count: Int) throws {
        let used = try #require(allocate(count))
        used.initializeMemory(as: UInt8.self, repeating: 0xff, count: count)
        deallocate(used)
        let functions = memory.functions
        let block = try #require(functions.calloc(count, 1, functions.mem_user_data))
        #expect(UnsafeRawBufferPointer(start: block, count: count).allSatisfy { $0 == 0 })
        deallocate(block)
    }

    @Test(arguments: counts, counts)
    func `realloc keeps the content of a block`(old: Int, new: Int) throws {
        let functions = memory.functions
        let block = try #require(allocate(old))
        block.initializeMemory(as: UInt8.self, repeating: 0x5a, count: old)
        let resized = try #require(functions.realloc(block, new, functions.mem_user_data))
        #expect(UnsafeRawBufferPointer(start: resized, count: min(old, new)).allSatisfy { $0 == 0x5a })
        deallocate(resized)
    }

    @Test func `impossible sizes are rejected`() {
        let functions = memory.functions
        #expect(functions.malloc(.max, functions.mem_user_data) == nil)
        #expect(functions.calloc(.max, 2, functions.mem_user_data) == nil)
    }

    private func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        let functions = memory.functions
        return functions.malloc(count, functions.mem_user_data)
    }

    private func deallocate(_ block: UnsafeMutableRawPointer) {
        let functions = memory.functions
        functions.free(block, functions.mem_user_data)
    }
}

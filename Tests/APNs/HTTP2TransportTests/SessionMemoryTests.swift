import CNGHTTP2
import Testing

@testable import HTTP2Transport

/// What nghttp2 takes its memory from, called as nghttp2 calls it.
@Suite struct SessionMemoryTests {
    /// Of our own pieces, at their borders, and of the C library's.
    private static let counts = [0, 1, 48, 49, 112, 2_032, 2_033, 100_000]

    private let memory = HTTP2SessionMemory()

    @Test(arguments: counts)
    func `a piece is aligned, and holds what is written into it`(count: Int) throws {
        let pieces = try (0..<100).map { _ in try #require(take(count)) }
        for (index, piece) in pieces.enumerated() {
            #expect(Int(bitPattern: piece) % 16 == 0)
            piece.initializeMemory(as: UInt8.self, repeating: UInt8(index), count: count)
        }
        for (index, piece) in pieces.enumerated() {
            let bytes = UnsafeRawBufferPointer(start: piece, count: count)
            #expect(bytes.allSatisfy { $0 == UInt8(index) })
            giveBack(piece)
        }
    }

    @Test func `what is given back is used again`() throws {
        let piece = try #require(take(200))
        giveBack(piece)
        let next = try #require(take(190))
        #expect(next == piece)
        giveBack(next)
    }

    @Test(arguments: counts.dropFirst())
    func `a piece that was used is zeroed when that is asked for`(count: Int) throws {
        let used = try #require(take(count))
        used.initializeMemory(as: UInt8.self, repeating: 0xff, count: count)
        giveBack(used)
        let functions = memory.functions
        let piece = try #require(functions.calloc(count, 1, functions.mem_user_data))
        #expect(UnsafeRawBufferPointer(start: piece, count: count).allSatisfy { $0 == 0 })
        giveBack(piece)
    }

    @Test(arguments: counts, counts)
    func `a piece keeps its bytes when its size changes`(old: Int, new: Int) throws {
        let functions = memory.functions
        let piece = try #require(take(old))
        piece.initializeMemory(as: UInt8.self, repeating: 0x5a, count: old)
        let resized = try #require(functions.realloc(piece, new, functions.mem_user_data))
        #expect(UnsafeRawBufferPointer(start: resized, count: min(old, new)).allSatisfy { $0 == 0x5a })
        giveBack(resized)
    }

    @Test func `more than there can be is refused`() {
        let functions = memory.functions
        #expect(functions.malloc(.max, functions.mem_user_data) == nil)
        #expect(functions.calloc(.max, 2, functions.mem_user_data) == nil)
    }

    private func take(_ count: Int) -> UnsafeMutableRawPointer? {
        let functions = memory.functions
        return functions.malloc(count, functions.mem_user_data)
    }

    private func giveBack(_ piece: UnsafeMutableRawPointer) {
        let functions = memory.functions
        functions.free(piece, functions.mem_user_data)
    }
}

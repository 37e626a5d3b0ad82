import CMalloc
import Foundation

/// The arenas of glibc's allocator.
public enum MemoryArenas {
    /// Limits the number of arenas to half the number of cores, at least one, unless the environment sets
    /// `MALLOC_ARENA_MAX`.
    ///
    /// By default glibc creates up to eight arenas for each core, and memory that is free in one is unavailable to the
    /// others. In a dispatcher this wastes more than a tenth of the memory. Small allocations come from per-thread
    /// caches, so fewer arenas cause hardly any contention.
    public static func limit() {
        let process = ProcessInfo.processInfo
        guard process.environment["MALLOC_ARENA_MAX"] == nil else { return }
        // The call fails only on systems without arenas.
        _ = mallopt(M_ARENA_MAX, CInt(max(1, process.activeProcessorCount / 2)))
    }
}

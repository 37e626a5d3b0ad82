import CMalloc
import Foundation

/// In how many arenas glibc keeps what is allocated.
enum MemoryArenas {
    /// Holds them to half the cores, one at least, unless the environment has `MALLOC_ARENA_MAX`.
    ///
    /// By itself glibc gives each thread an arena, up to eight for each core, and what one has to spare is nothing to the
    /// others: a tenth of a dispatcher's memory and more. Small things come from caches of the threads' own, so that hardly
    /// anybody waits for an arena.
    static func limit() {
        let process = ProcessInfo.processInfo
        guard process.environment["MALLOC_ARENA_MAX"] == nil else { return }
        // It can only be refused where there is nothing to set.
        _ = mallopt(M_ARENA_MAX, CInt(max(1, process.activeProcessorCount / 2)))
    }
}

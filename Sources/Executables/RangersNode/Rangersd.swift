import CommandLineSupport
public import ServiceLifecycle
import ServiceRuntime

/// The program `rangersd`, for programs that add services to it, such as the exporter of a tracer.
///
/// ```swift
/// import RangersNode
/// import Tracing
///
/// let (tracer, exporter) = makeTracer()
/// InstrumentationSystem.bootstrap(tracer)
/// await Rangersd.main(adding: [exporter])
/// ```
///
/// It bootstraps swift-log and swift-metrics itself, so the program may bootstrap only swift-distributed-tracing.
public enum Rangersd {
    /// The services that `serve` runs besides its own.
    @TaskLocal static var additionalServices: [any Service] = []

    /// Runs the command in the arguments of the process, and exits.
    ///
    /// - Parameter services: services that `rangersd serve` runs, too. They start first and stop last, so that an
    ///   exporter gets the spans of the last requests and pushes. If one of them ends or throws, the server stops.
    public static func main(adding services: [any Service] = []) async {
        // This must be the first call, because threads keep their arenas.
        MemoryArenas.limit()
        CoreDumps.disable()
        await $additionalServices.withValue(services) { () async -> Void in
            await RangersdCommand.runAndExit()
        }
    }
}

/// The labels of a metric's series.
///
/// Prometheus keeps each combination of values as a series for weeks. Values must be from closed sets (cases of an
/// enum, route templates), never from data of clients or peers.
public protocol MetricLabels: Hashable, Sendable {
    /// The names of the labels.
    static var names: [String] { get }
    /// The values of the labels, in the order of the names.
    var values: [String] { get }
}

/// The labels of a metric with a single series.
public struct NoLabels: MetricLabels {
    /// The empty list of names.
    public static let names: [String] = []
    /// The empty list of values.
    public let values: [String] = []

    /// Creates empty labels.
    public init() {}
}

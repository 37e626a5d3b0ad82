/// What tells the series of one metric apart.
///
/// Every distinct value is a series that Prometheus keeps for weeks: values come from closed sets (cases of an enum,
/// templates of routes), never from what clients or peers send.
public protocol MetricLabels: Hashable, Sendable {
    /// The names of the labels.
    static var names: [String] { get }
    /// The value of each, in the order of the names.
    var values: [String] { get }
}

/// The label of a metric that has but one series.
public struct NoLabels: MetricLabels {
    /// None.
    public static let names: [String] = []
    /// None.
    public let values: [String] = []

    /// The only one there is.
    public init() {}
}

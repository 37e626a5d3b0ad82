/// The version of this package, which `--version` prints.
public enum RangersVersion {
    /// The semantic version of this release or, between releases, of the next one.
    public static let current = "0.1.0"
}

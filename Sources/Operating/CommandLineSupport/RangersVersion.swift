/// The version of everything in this package, as `--version` prints it.
public enum RangersVersion {
    /// Semantic versioning; the same as the newest entry of CHANGELOG.md.
    public static let current = "0.1.0"
}

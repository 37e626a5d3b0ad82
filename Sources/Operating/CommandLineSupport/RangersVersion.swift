/// The version of this package, which `--version` prints.
public enum RangersVersion {
    /// The semantic version, equal to that of the newest entry of CHANGELOG.md.
    public static let current = "0.1.0"
}

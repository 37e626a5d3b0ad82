// Apple documents these declarations.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, BeginDocumentationCommentWithOneLineSummary

public import Foundation

// What Apple's Foundation has and Linux's lacks. Pages `foundation/localizedstringresource` and
// `foundation/processinfo/islowpowermodeenabled`.

public struct LocalizedStringResource: ExpressibleByStringInterpolation, Hashable, Sendable {
    public let key: String

    public init(stringLiteral value: String) { key = value }
}

extension ProcessInfo {
    public var isLowPowerModeEnabled: Bool { false }
}

package import Foundation

extension Data {
    /// The bytes as push tokens are written.
    package var hexadecimal: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The bytes that a text writes; nil when it writes none.
    package init?(hexadecimal text: String) {
        let digits = text.map(\.hexDigitValue)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes = Data()
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high * 16 + low))
        }
        self = bytes
    }
}

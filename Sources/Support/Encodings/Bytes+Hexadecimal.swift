extension Collection<UInt8> {
    /// The bytes in hexadecimal: two lower-case digits for each byte.
    @inlinable
    public var hexadecimal: String {
        String(unsafeUninitializedCapacity: 2 * count) { digits in
            var end = 0
            for byte in self {
                digits[end] = HexDigit.ascii(byte >> 4)
                digits[end + 1] = HexDigit.ascii(byte & 15)
                end += 2
            }
            return end
        }
    }
}

extension RangeReplaceableCollection<UInt8> {
    /// Decodes hexadecimal digits in lower or upper case.
    ///
    /// - Returns: nil if the text has an odd number of characters or a character that is not a hexadecimal digit.
    public init?(hexadecimal text: some StringProtocol) {
        self.init()
        reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let digit = HexDigit.value(of: character) else { return nil }
            if let first = high {
                append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else { return nil }
    }
}

/// Conversions between numbers below 16 and hexadecimal digits in ASCII.
public enum HexDigit {
    /// Returns the lower-case digit of a number below 16.
    @inlinable @inline(__always)
    public static func ascii(_ value: UInt8) -> UInt8 {
        // Without a branch: the processor cannot predict the digits of identifiers.
        let isLetter = (value &+ 6) >> 4
        return UInt8(ascii: "0") &+ value &+ isLetter &* (UInt8(ascii: "a") - UInt8(ascii: "0") - 10)
    }

    /// Returns the value of a digit in lower or upper case, or nil if the character is not a hexadecimal digit.
    @inlinable @inline(__always)
    public static func value(of character: UInt8) -> UInt8? {
        let digit = character &- UInt8(ascii: "0")
        if digit < 10 { return digit }
        let letter = (character | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }
}

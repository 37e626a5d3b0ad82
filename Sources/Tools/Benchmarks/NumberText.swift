/// How numbers are written for people, whatever the machine's language.
enum NumberText {
    /// With so many digits after the point, and a comma between thousands.
    static func text(_ number: Double, digits: Int = 0) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((number * scale).rounded())
        let whole = grouped(abs(scaled) / Int(scale))
        let sign = scaled < 0 ? "-" : ""
        guard digits > 0 else { return sign + whole }
        let fraction = String(abs(scaled) % Int(scale))
        return sign + whole + "." + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return text
    }
}

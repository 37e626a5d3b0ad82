import ArgumentParser

/// How long something takes, as people write it: `90s`, `45m`, `1h`.
struct SoakLength: ExpressibleByArgument, Hashable {
    let seconds: Int

    init(seconds: Int) { self.seconds = seconds }

    init?(argument: String) {
        let units = ["s": 1, "m": 60, "h": 3_600]
        guard let last = argument.last, let unit = units[String(last)], let count = Int(argument.dropLast()),
            count > 0, count <= 1_000_000
        else { return nil }
        seconds = count * unit
    }

    var defaultValueDescription: String { seconds.isMultiple(of: 3_600) ? "\(seconds / 3_600)h" : "\(seconds)s" }
}

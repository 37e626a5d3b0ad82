import CommandLineSupport

/// How much memory a dispatcher takes for each activity.
struct MemoryReport: Report {
    static let isAboutSpeed = false

    /// Two dispatchers at one moment.
    struct Sample: Encodable, Hashable {
        /// Since the first tick; zero before it.
        let seconds: Double
        /// That the larger has sent so far.
        let pushes: Int
        /// Resident, of each process.
        let fewBytes: Int
        let manyBytes: Int
        let bytesPerActivity: Double

        /// What two dispatchers take, of which the larger follows so many more activities.
        init(seconds: Double, pushes: Int, fewBytes: Int, manyBytes: Int, activities: Int) {
            self.seconds = seconds
            self.pushes = pushes
            self.fewBytes = fewBytes
            self.manyBytes = manyBytes
            bytesPerActivity = Double(manyBytes - fewBytes) / Double(activities)
        }
    }

    let few: Int
    let many: Int
    let samples: [Sample]

    func lines(fitting width: Int?) -> [String] {
        let table = Table(
            [
                .init("SECONDS", isNumber: true), .init("PUSHES", isNumber: true),
                .init("MIB WITH \(NumberText.text(Double(few)))", isNumber: true),
                .init("MIB WITH \(NumberText.text(Double(many)))", isNumber: true),
                .init("BYTES EACH", isNumber: true),
            ],
            rows: samples.map { sample in
                [
                    NumberText.text(sample.seconds), NumberText.text(Double(sample.pushes)),
                    NumberText.text(Double(sample.fewBytes) / 1_048_576, digits: 1),
                    NumberText.text(Double(sample.manyBytes) / 1_048_576, digits: 1),
                    NumberText.text(sample.bytesPerActivity),
                ]
            }
        )
        return table.lines(fitting: width) + [
            "",
            "Resident memory of two dispatchers; the first line is before any push, and the last column what one activity",
            "takes: the difference of memory by the difference of activities.",
        ]
    }
}

extension MemoryReport {
    private enum CodingKeys: CodingKey {
        case bytesPerActivity, few, many, samples
    }

    /// Encodes what an activity takes in the end, when all cards were pushed to the most, and beside it all samples.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(samples.last?.bytesPerActivity, forKey: .bytesPerActivity)
        try container.encode(few, forKey: .few)
        try container.encode(many, forKey: .many)
        try container.encode(samples, forKey: .samples)
    }
}

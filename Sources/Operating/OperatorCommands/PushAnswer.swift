import CommandLineSupport

/// One push and what APNs says of it: the answer to `POST /admin/v1/pushes`, and what becomes of a push to an activity.
struct PushAnswer: Answer, Encodable {
    struct Header: Codable {
        let name: String
        let value: String
    }

    let environment: String
    let host: String
    let port: Int
    let request: String
    let headers: [Header]
    let payload: String
    let payloadBytes: Int
    let answer: String
    let status: Int?
    let reason: String?
    let apnsUniqueID: String?
    let meaning: String
    let remedy: String

    var isAccepted: Bool { answer == "accepted" }

    func lines(fitting width: Int?) -> [String] {
        let facts =
            [("To", "\(host):\(port) (\(environment))"), ("Request", request)]
            + headers.map { ("", "\($0.name): \($0.value)") }
            + [("Payload", "\(payloadBytes) of 4096 bytes"), ("", payload), ("Answer", answerText)]
            + (apnsUniqueID.map { [("", "apns-unique-id: \($0)")] } ?? [])
            + [("It means", meaning), ("To do", remedy)]
        // Whole, however narrow the terminal is: who looks at a request wants to copy it.
        return facts.flatMap { label, text in
            Paragraph(beginning: label + String(repeating: " ", count: 10 - label.count), text: text)
                .lines(fitting: label == "It means" || label == "To do" ? width : nil)
        }
    }

    private var answerText: String {
        switch answer {
        case "accepted", "refused":
            [status.map { "\($0)" }, reason ?? answer].compactMap(\.self).joined(separator: " ")
        case "neverSent": "none: it was not sent"
        default: "none"
        }
    }
}

import CommandLineSupport

/// A push with the response of APNs: the response to `POST /admin/v1/pushes`, and the result of a push to an activity.
struct PushResponse: Codable, HumanReadable {
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
    /// The outcome, such as `accepted`, `rejected` or `neverSent`.
    let outcome: String
    let status: Int?
    let reason: String?
    let apnsUniqueID: String?
    let meaning: String
    let remedy: String

    var isAccepted: Bool { outcome == "accepted" }

    func lines(fitting width: Int?, paint: Paint) -> [String] {
        let facts =
            [("To", "\(host):\(port) (\(environment))"), ("Request", request)]
            + headers.map { ("", "\($0.name): \($0.value)") }
            + [("Payload", "\(payloadBytes) of 4096 bytes"), ("", payload), ("Response", responseText)]
            + (apnsUniqueID.map { [("", "apns-unique-id: \($0)")] } ?? [])
            + [("It means", meaning), ("To do", remedy)]
        // The request is not wrapped, so that it can be copied.
        return facts.flatMap { label, text in
            Paragraph(beginning: label + String(repeating: " ", count: 10 - label.count), text: text)
                .lines(fitting: label == "It means" || label == "To do" ? width : nil)
        }
    }

    private var responseText: String {
        switch outcome {
        case "accepted", "rejected":
            [status.map { "\($0)" }, reason ?? outcome].compactMap(\.self).joined(separator: " ")
        case "neverSent": "none: the push was not sent"
        default: "none"
        }
    }
}

import APNsClient
import PartyAPI
import PushDispatcher

extension OperatorPushes {
    /// The ways of this node's own clients.
    init(_ tester: PushTester) {
        self.init(
            environments: tester.environments,
            send: { message in
                // The routes take no token that is empty or too long.
                guard let token = DeviceToken(bytes: message.deviceToken) else { return nil }
                return try await tester.send(
                    PushTester.Test(
                        deviceToken: token,
                        environment: message.environment,
                        event: message.event,
                        priority: message.isUrgent ? .high : .low
                    )
                )
            },
            examine: {
                try await tester.examineRoutes().map { finding in
                    DoctorCheck(
                        finding.name,
                        DoctorCheck.Status(finding.state),
                        finding.finding,
                        remedy: finding.remedy
                    )
                }
            }
        )
    }
}

extension DoctorCheck.Status {
    fileprivate init(_ state: RouteFinding.State) {
        self =
            switch state {
            case .fine: .ok
            case .wrong: .failed
            case .unseen: .skipped
            }
    }
}

import APNsClient
public import PartyAPI

extension TestPushSender {
    /// Creates a sender that uses the APNs clients of a node.
    public init(_ tester: PushTester) {
        self.init(
            environments: tester.environments,
            send: { message in
                // The API accepts no token that is empty or too long.
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
            check: { try await tester.checkEnvironments() }
        )
    }
}

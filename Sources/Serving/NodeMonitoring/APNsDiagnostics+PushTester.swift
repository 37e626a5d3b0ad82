import APNsClient
public import PartyAPI

extension APNsDiagnostics {
    /// Creates diagnostics that use the APNs clients of a node.
    public init(_ tester: PushTester) {
        self.init(
            environments: tester.environments,
            topic: tester.topic,
            send: { push in
                // The API accepts no token that is empty or too long.
                guard let token = DeviceToken(bytes: push.deviceToken) else { return nil }
                return try await tester.send(
                    PushTester.Test(
                        deviceToken: token,
                        environment: push.environment,
                        event: push.event,
                        priority: push.isUrgent ? .high : .low
                    )
                )
            },
            check: { try await tester.checkEnvironments() }
        )
    }
}

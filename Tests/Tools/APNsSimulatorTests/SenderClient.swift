import APNsClient
import Foundation
import Logging

/// Creates the project's own client for a simulator at these ports, with the certificate authority in a file.
func senderClient(
    pem: String,
    keyID: String,
    teamID: String,
    pushPort: Int,
    channelPort: Int,
    caFile: URL,
    now: @escaping @Sendable () -> Int64
) throws -> APNsClient {
    var configuration = APNsClient.Configuration(
        environment: .simulator,
        port: pushPort,
        caFile: caFile.path(percentEncoded: false),
        providerKey: try ProviderKey(pem: pem, keyID: keyID, teamID: teamID)
    )
    configuration.channelPort = channelPort
    configuration.maxConnections = 1
    return try APNsClient(configuration: configuration, now: now, logger: Logger(label: "test"))
}

import Testing

@testable import APNsSimulator

@Suite struct SenderConnectionTests {
    private func token(_ text: String, keyID: String = "K", teamID: String = "T", at seconds: Int64)
        -> VerifiedProviderToken
    {
        VerifiedProviderToken(text: Substring(text), keyID: keyID, teamID: teamID, issuedAt: epoch + seconds)
    }

    @Test func `a connection that is opened just before a renewal accepts the renewal`() throws {
        var connection = SenderConnection()
        try connection.accept(token("old", at: -2999), at: moment(0))
        try connection.accept(token("new", at: 1), at: moment(1))
        #expect(throws: RejectionReason.tooManyProviderTokenUpdates) {
            try connection.accept(token("newer", at: 1200), at: moment(1200))
        }
        try connection.accept(token("newer", at: 1200), at: moment(1201))
    }

    @Test func `the first token fixes team and key`() throws {
        var connection = SenderConnection()
        try connection.accept(token("a", at: 0), at: moment(0))
        #expect(throws: RejectionReason.invalidProviderToken) {
            try connection.accept(token("b", keyID: "L", teamID: "U", at: 0), at: moment(2000))
        }
        #expect(throws: RejectionReason.unrelatedKeyIDInToken) {
            try connection.accept(token("b", keyID: "L", at: 0), at: moment(2000))
        }
        try connection.accept(token("b", at: 2000), at: moment(2000))
    }
}

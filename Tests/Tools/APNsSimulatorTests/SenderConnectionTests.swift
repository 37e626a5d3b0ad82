import Testing

@testable import APNsSimulator

@Suite struct SenderConnectionTests {
    private func token(_ text: String, keyID: String = "K", teamID: String = "T", at seconds: Int64) -> ProviderToken {
        ProviderToken(text: Substring(text), keyID: keyID, teamID: teamID, issuedAt: epoch + seconds)
    }

    @Test func `a connection that is opened just before a renewal bears the renewal`() throws {
        var connection = SenderConnection()
        try connection.take(token("old", at: -2999), at: moment(0))
        try connection.take(token("new", at: 1), at: moment(1))
        #expect(throws: APNsRefusal.tooManyProviderTokenUpdates) {
            try connection.take(token("newer", at: 1200), at: moment(1200))
        }
        try connection.take(token("newer", at: 1200), at: moment(1201))
    }

    @Test func `the first token decides on team and key`() throws {
        var connection = SenderConnection()
        try connection.take(token("a", at: 0), at: moment(0))
        #expect(throws: APNsRefusal.invalidProviderToken) {
            try connection.take(token("b", keyID: "L", teamID: "U", at: 0), at: moment(2000))
        }
        #expect(throws: APNsRefusal.unrelatedKeyIDInToken) {
            try connection.take(token("b", keyID: "L", at: 0), at: moment(2000))
        }
        try connection.take(token("b", at: 2000), at: moment(2000))
    }
}

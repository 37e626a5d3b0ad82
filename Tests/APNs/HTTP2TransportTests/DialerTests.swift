import Testing

@testable import HTTP2Transport

struct DialerTests {
    @Test func `each connection begins with the next address and tries all`() {
        let orders = (1...4).map { Dialer.order(["a", "b", "c"], forConnection: $0) }
        #expect(orders == [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"], ["a", "b", "c"]])
    }

    @Test func `a host without addresses has none to try`() {
        #expect(Dialer.order([String](), forConnection: 2).isEmpty)
    }
}

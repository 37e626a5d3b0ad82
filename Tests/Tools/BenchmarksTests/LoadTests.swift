import HTTPTypes
import Testing

@testable import Benchmarks

@Suite struct LoadTests {
    @Test func `the length of a response is known with its head`() {
        let head = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\ncontent-length: 4\r\n\r\n"
        let bytes = Array((head + "true").utf8)
        for count in 0..<head.utf8.count {
            #expect(ReceivedResponse.length(bytes[..<count]) == nil)
        }
        let length = ReceivedResponse.length(bytes[..<head.utf8.count])
        #expect(length?.status == 201 && length?.bytes == bytes.count)
        let response = ReceivedResponse(bytes[...])
        #expect(response?.status == 201 && response?.body == Array("true".utf8))
        #expect(
            response?.headers == [
                .init(name: "Content-Type", value: "application/json"), .init(name: "content-length", value: "4"),
            ]
        )
    }

    @Test func `a response without a length has no body`() {
        let bytes = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        #expect(ReceivedResponse.length(bytes[...])?.bytes == bytes.count)
    }

    @Test func `a request has a length, a token and a key`() {
        let request = PreparedRequest(.post, "/v1/parties/join", token: "erp_x", key: "k", body: #"{"name":"é"}"#)
        #expect(
            String(decoding: request.bytes, as: UTF8.self) == """
                POST /v1/parties/join HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer erp_x\r\n\
                Idempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"name":"é"}
                """
        )
    }

    @Test func `a router serves recorded responses`() async throws {
        let recorded = ReceivedResponse(
            status: 200,
            headers: [.init(name: "cache-control", value: "no-store"), .init(name: "Content-Length", value: "9")],
            body: Array(#"{"ok":1}"#.utf8)
        )
        let responses = StaticResponses([.state: recorded])
        let (ports, onServing) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup { group in
            group.addTask { try await responses.serve { onServing.yield($0) } }
            let port = try #require(await ports.first { _ in true })
            let load = HTTPLoad(port: port, connections: 2)
            let requests = (0..<5).map { PreparedRequest(.get, "/v1/adventures/\($0)", token: "erp_x") }
            var connection = try LoadConnection(port: port)
            let status = try connection.exchange(requests[0].bytes)
            #expect(status == 200)
            let last = connection.lastResponse
            let response = try #require(last)
            #expect(response.status == 200 && response.body == recorded.body)
            #expect(response.headers.contains { $0.name.lowercased() == "cache-control" && $0.value == "no-store" })
            let result = try await load.run(requests, expecting: 200)
            #expect(result.perSecond > 0 && result.p99Milliseconds >= result.p50Milliseconds)
            let paced = try await load.run(requests, expecting: 200, rate: 100)
            // The last of five is due 40 ms after the first.
            #expect(paced.perSecond <= 5 / 0.040)
            await #expect(throws: BenchmarkFailure.self) { try await load.run(requests, expecting: 201) }
            group.cancelAll()
        }
    }
}

import HTTPTypes
import Testing

@testable import Benchmarks

@Suite struct LoadTests {
    @Test func `a percentile is the nearest rank`() {
        let latencies = Latencies(milliseconds: (1...200).map(Double.init).shuffled())
        #expect(latencies.percentile(50) == 100)
        #expect(latencies.percentile(99) == 198)
        #expect(latencies.percentile(100) == 200)
        #expect(Latencies(milliseconds: [7]).percentile(1) == 7)
    }

    @Test func `an answer is whole when its body is there`() {
        let head = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\ncontent-length: 4\r\n\r\n"
        let bytes = Array((head + "true").utf8)
        for count in 0..<head.utf8.count {
            #expect(ReceivedAnswer.length(bytes[..<count]) == nil)
        }
        let length = ReceivedAnswer.length(bytes[..<head.utf8.count])
        #expect(length?.status == 201 && length?.whole == bytes.count)
        let answer = ReceivedAnswer(bytes[...])
        #expect(answer?.status == 201 && answer?.body == Array("true".utf8))
        #expect(
            answer?.headers == [
                .init(name: "Content-Type", value: "application/json"), .init(name: "content-length", value: "4"),
            ]
        )
    }

    @Test func `an answer without a length has no body`() {
        let bytes = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
        #expect(ReceivedAnswer.length(bytes[...])?.whole == bytes.count)
    }

    @Test func `a request has its length, its token and its key`() {
        let request = PreparedRequest(.post, "/v1/parties/join", token: "erp_x", key: "k", body: #"{"name":"é"}"#)
        #expect(
            String(decoding: request.bytes, as: UTF8.self) == """
                POST /v1/parties/join HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer erp_x\r\n\
                Idempotency-Key: k\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"name":"é"}
                """
        )
    }

    @Test func `recorded answers are given under the same requests`() async throws {
        let recorded = ReceivedAnswer(
            status: 200,
            headers: [.init(name: "cache-control", value: "no-store"), .init(name: "Content-Length", value: "9")],
            body: Array(#"{"ok":1}"#.utf8)
        )
        let answers = StaticAnswers([.state: recorded])
        let (ports, onServing) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup { group in
            group.addTask { try await answers.serve { onServing.yield($0) } }
            let port = try #require(await ports.first { _ in true })
            let load = HTTPLoad(port: port, connections: 2)
            let requests = (0..<5).map { PreparedRequest(.get, "/v1/adventures/\($0)", token: "erp_x") }
            let answer = try #require(try load.answer(to: requests[0]))
            #expect(answer.status == 200 && answer.body == recorded.body)
            #expect(answer.headers.contains { $0.name.lowercased() == "cache-control" && $0.value == "no-store" })
            let figures = try await load.run(requests, expecting: 200)
            #expect(figures.perSecond > 0 && figures.p99Milliseconds >= figures.p50Milliseconds)
            let paced = try await load.run(requests, expecting: 200, pace: .open(perSecond: 100))
            // The last of five is due 40 ms after the first.
            #expect(paced.perSecond <= 5 / 0.040)
            await #expect(throws: MeasurementFailure.self) { try await load.run(requests, expecting: 201) }
            group.cancelAll()
        }
    }
}

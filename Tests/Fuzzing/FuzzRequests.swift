// Compiled together with those files of PartyAPI that read requests, which need no server; `deploy/fuzz` does it.

import Encodings
import Foundation
import GameCore

/// What libFuzzer calls with bytes of its choice, once for each input.
///
/// The first byte says what the others are: a body, the parameters of a stream of events, or entity tags. Nothing may trap,
/// leak or hang; what is refused is refused with a reason that a client can be sent.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    guard let kind = input.first else { return 0 }
    let data = Array(input.dropFirst())
    switch kind % 3 {
    case 0: readBody(data)
    case 1: readStream(data)
    default: readTags(data)
    }
    return 0
}

private func readBody(_ bytes: [UInt8]) {
    if let fault = JSONFault(in: bytes) {
        precondition(fault.line > 0 && fault.column > 0, "a fault is somewhere")
        check { () throws(HTTPProblem) in _ = try Fields(json: bytes) }
        return
    }
    // What has no fault is JSON to Foundation as well.
    let isObject = bytes.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } == UInt8(ascii: "{")
    do throws(HTTPProblem) {
        let fields = try Fields(json: bytes)
        precondition(isObject, "only an object has fields")
        for body in bodies { check { () throws(HTTPProblem) in try read(body, from: fields) } }
    } catch {
        // The one thing that JSON allows and Foundation cannot hold.
        let isTooLarge = error.detail.hasPrefix("A number in the body is larger")
        precondition(!isObject || isTooLarge, "an object without a fault is refused: \(error.detail)")
        check(error)
    }
}

/// What the routes take, all of it: a test of the API holds the list against the sources.
private let bodies: [any RequestFields.Type] = [
    CampaignStepBody.self, CommandBody.self, NewLeaderBody.self, JoinBody.self, NewBossFightBody.self, NewJourneyBody.self,
    NewPartyBody.self, NewPlayerBody.self, TestPushBody.self, ActivityBody.self, PushToStartBody.self, SyncBody.self,
]

private func read(_ body: any RequestFields.Type, from fields: Fields) throws(HTTPProblem) {
    switch try body.read(from: fields) {
    case let body as NewPlayerBody: check(body.displayName)
    case let body as NewPartyBody: check(body.name)
    case let body as ActivityBody: precondition(!body.route.pushToken.isEmpty, "a push goes somewhere")
    default: break
    }
}

private func check(_ name: Name) {
    precondition(!name.text.isEmpty && name.text.utf8.count <= 120, "a name fits every phone")
}

private func readStream(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    for (after, last) in [(lines.first, lines.last), (nil, lines.first), (lines.first, nil)] {
        check { () throws(HTTPProblem) in
            let sequence = try Resumption(after: after, lastEventID: last).sequence
            precondition((0...Int(Int32.max)).contains(sequence), "a sequence fits its column")
        }
    }
    _ = lines.first.flatMap { Timestamp(rfc3339: $0) }
}

private func readTags(_ bytes: [UInt8]) {
    let header = String(decoding: bytes, as: UTF8.self)
    guard case .versions(let strong) = EntityTags(header, takesWeak: false) else { return }
    guard case .versions(let all) = EntityTags(header, takesWeak: true) else {
        preconditionFailure("weak tags are more, and never fewer")
    }
    precondition(strong.isSubset(of: all), "weak tags are more, and never fewer")
}

private func check(_ work: () throws(HTTPProblem) -> Void) {
    do throws(HTTPProblem) { try work() } catch { check(error) }
}

private func check(_ problem: HTTPProblem) {
    precondition((400..<500).contains(problem.status.code), "a client's mistake is no fault of the server")
    precondition(!problem.detail.isEmpty, "a problem says what is wrong")
    precondition(problem.errors.allSatisfy { !$0.reason.isEmpty }, "a field's fault has a reason")
    do { _ = try JSONEncoder().encode(problem) } catch { preconditionFailure("a problem can be sent: \(error)") }
}

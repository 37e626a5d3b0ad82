// `deploy/fuzz` compiles this file with the files of PartyAPI and HTTPServing that parse requests and need no server.

import Encodings
import GameCore
import HTTPServing

/// The entry point of libFuzzer, called once for each input.
///
/// The first byte selects the meaning of the others: a body, the parameters of an event stream, or entity tags. Nothing
/// may trap, leak or hang, and every rejection must be a problem that a client can receive.
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
        precondition(fault.line > 0 && fault.column > 0, "a fault has a position")
        check { () throws(HTTPProblem) in _ = try Fields(json: bytes) }
        return
    }
    // Foundation must parse JSON without a fault.
    let isObject = bytes.first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } == UInt8(ascii: "{")
    do throws(HTTPProblem) {
        let fields = try Fields(json: bytes)
        precondition(isObject, "only an object has fields")
        for body in bodies { check { () throws(HTTPProblem) in try read(body, from: fields) } }
    } catch {
        // JSON allows numbers that Foundation cannot represent.
        let isTooLarge = error.detail == "A number in the body is too large."
        precondition(!isObject || isTooLarge, "an object without a fault is rejected: \(error.detail)")
        check(error)
    }
}

/// The bodies of all routes.
///
/// A test of the API compares the list with the sources.
private let bodies: [any RequestFields.Type] = [
    CampaignStepBody.self, CommandBody.self, NewLeaderBody.self, JoinBody.self, NewBossFightBody.self,
    NewAdventureBody.self, NewRaidBody.self, NewPartyBody.self, NewPlayerBody.self, TestPushBody.self,
    ActivityBody.self, DeviceBody.self, SyncBody.self,
    ReceiptBody.self, ProfileBody.self, RecoveryBody.self,
    NewOperatorBody.self, TokenRotationBody.self, AppleBody.self, ReasonBody.self, RenamingBody.self,
]

private func read(_ body: any RequestFields.Type, from fields: Fields) throws(HTTPProblem) {
    switch try body.read(from: fields) {
    case let body as NewPlayerBody: check(body.displayName)
    case let body as RenamingBody: check(body.displayName)
    case let body as NewPartyBody: check(body.name)
    case let body as ActivityBody: precondition(!body.target.pushToken.isEmpty, "a push token has bytes")
    default: break
    }
}

private func check(_ name: Name) {
    precondition(!name.text.isEmpty && name.text.utf8.count <= 120, "a name fits on a screen")
}

private func readStream(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    for (after, last) in [(lines.first, lines.last), (nil, lines.first), (lines.first, nil)] {
        check { () throws(HTTPProblem) in
            let sequence = try Resumption(after: after, lastEventID: last).sequence
            precondition((0...Int(Int32.max)).contains(sequence), "a sequence is in range")
        }
    }
    _ = lines.first.flatMap { Timestamp(rfc3339: $0) }
}

private func readTags(_ bytes: [UInt8]) {
    let header = String(decoding: bytes, as: UTF8.self)
    guard case .versions(let strong) = EntityTags(header, allowsWeak: false) else { return }
    guard case .versions(let all) = EntityTags(header, allowsWeak: true) else {
        preconditionFailure("weak comparison finds at least the strong tags")
    }
    precondition(strong.isSubset(of: all), "weak comparison finds at least the strong tags")
}

private func check(_ work: () throws(HTTPProblem) -> Void) {
    do throws(HTTPProblem) { try work() } catch { check(error) }
}

private func check(_ problem: HTTPProblem) {
    precondition((400..<500).contains(problem.status.code), "an invalid request has a client error")
    precondition(!problem.detail.isEmpty, "a problem has a detail")
    precondition(problem.errors.allSatisfy { !$0.reason.isEmpty }, "a field error has a reason")
}

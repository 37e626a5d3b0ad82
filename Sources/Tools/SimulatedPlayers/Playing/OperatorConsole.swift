public import Foundation
public import GameCore

/// An operator at a terminal: runs the real `rangersctl`.
public struct OperatorConsole: Sendable {
    private let rangersctl: URL
    private let server: URL
    private let tokenFile: URL

    /// - Parameters:
    ///   - rangersctl: the executable.
    ///   - server: where rangersd is.
    ///   - tokenFile: a file that holds the operator's token; it is on no command line.
    public init(rangersctl: URL, server: URL, tokenFile: URL) {
        self.rangersctl = rangersctl
        self.server = server
        self.tokenFile = tokenFile
    }

    /// Sets a boss on a party.
    /// - Returns: the fight.
    /// - Throws: ``StoryError/programFailed(_:status:saying:)`` when rangersctl refuses.
    public func startBossFight(against boss: BossID, inviteCode: String) async throws -> AdventureID {
        let output = try await run(["boss", "start", boss.rawValue, "--invite-code", inviteCode, "--json"])
        do {
            return try JSONDecoder().decode(StartedFight.self, from: output).adventureID
        } catch {
            throw StoryError.outputNotUnderstood(of: rangersctl.lastPathComponent, reason: "\(error)")
        }
    }

    private func run(_ arguments: [String]) async throws -> Data {
        let process = Process()
        process.executableURL = rangersctl
        process.arguments =
            arguments + ["--server", server.absoluteString, "--token-file", tokenFile.path(percentEncoded: false)]
        // Settings of the caller are for the caller's own commands.
        process.environment = [:]
        process.standardInput = FileHandle.nullDevice
        // An answer is one adventure, which fits into a pipe many times over: it can be read once all is written.
        let output = Pipe()
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do {
                try process.run()
            } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        guard status == 0 else {
            let words = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            throw StoryError.programFailed(
                rangersctl.lastPathComponent,
                status: status,
                saying: words.trimmingCharacters(in: .whitespacesAndNewlines)
            )
        }
        return try output.fileHandleForReading.readToEnd() ?? Data()
    }
}

/// What rangersctl prints of a fight that it has started.
private struct StartedFight: Decodable {
    let adventureID: AdventureID
}

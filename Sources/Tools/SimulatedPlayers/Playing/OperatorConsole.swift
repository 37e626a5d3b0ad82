public import Foundation
public import GameCore

/// An operator who runs the real `rangersctl`.
public struct OperatorConsole: Sendable {
    private let rangersctl: URL
    private let server: URL
    private let tokenFile: URL

    /// Creates an operator.
    /// - Parameters:
    ///   - rangersctl: the executable.
    ///   - server: the address of rangersd.
    ///   - tokenFile: a file with the operator's token, which must not be on the command line.
    public init(rangersctl: URL, server: URL, tokenFile: URL) {
        self.rangersctl = rangersctl
        self.server = server
        self.tokenFile = tokenFile
    }

    /// Starts a boss fight for a party.
    /// - Returns: the identifier of the fight.
    /// - Throws: ``StoryError`` when rangersctl fails or its output cannot be decoded, and the error of starting it.
    public func startBossFight(against boss: BossID, inviteCode: String) async throws -> AdventureID {
        let output = try await run(["boss", "start", boss.rawValue, "--invite-code", inviteCode, "--json"])
        do {
            return try JSONDecoder().decode(StartedFight.self, from: output).adventureID
        } catch {
            throw StoryError.outputNotUnderstood(of: rangersctl.lastPathComponent, reason: "\(error)")
        }
    }

    /// Starts a raid.
    /// - Returns: the identifier of the raid.
    /// - Throws: as ``startBossFight(against:inviteCode:)``.
    public func startRaid(against boss: BossID, health: Int, for duration: String) async throws -> RaidID {
        let arguments = ["raid", "start", boss.rawValue, "--health", "\(health)", "--for", duration, "--json"]
        let output = try await run(arguments)
        do {
            return try JSONDecoder().decode(StartedRaid.self, from: output).raidID
        } catch {
            throw StoryError.outputNotUnderstood(of: rangersctl.lastPathComponent, reason: "\(error)")
        }
    }

    private func run(_ arguments: [String]) async throws -> Data {
        let process = Process()
        process.executableURL = rangersctl
        process.arguments =
            arguments + ["--server", server.absoluteString, "--token-file", tokenFile.path(percentEncoded: false)]
        // The caller's settings do not apply here.
        process.environment = [:]
        process.standardInput = FileHandle.nullDevice
        // The output is one adventure, far less than a pipe's buffer, so it can be read after the exit.
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
            let errorOutput = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            throw StoryError.programFailed(
                rangersctl.lastPathComponent,
                status: status,
                errorOutput: errorOutput.trimmingCharacters(in: .whitespacesAndNewlines)
            )
        }
        return try output.fileHandleForReading.readToEnd() ?? Data()
    }
}

/// The output of `rangersctl raid start`.
private struct StartedRaid: Decodable {
    let raidID: RaidID
}

/// The output of `rangersctl boss start`.
private struct StartedFight: Decodable {
    let adventureID: AdventureID
}

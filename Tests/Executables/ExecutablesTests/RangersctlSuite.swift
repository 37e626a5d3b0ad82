import Foundation

/// What the tests of `rangersctl` share.
protocol RangersctlSuite {}

extension RangersctlSuite {
    static var bosses: String {
        #"{"bosses":[{"attack":9,"avatar":"🐲","fears":"water","healthPerHero":50,"id":"dragon","name":"Drake","#
            + #""resists":"fire","speed":4}]}"#
    }
    static var token: String { "ero_0123456789" }
    static var adventure: String { "01981f6e-6f0c-7a1b-9c3d-2b7f0e5a4c11" }

    func run(_ arguments: String..., server: Int? = nil, token: String? = token) async throws -> ProcessResult {
        var environment: [String: String] = [:]
        environment["RANGERS_OPERATOR_TOKEN"] = token
        environment["RANGERS_SERVER"] = server.map { "http://127.0.0.1:\($0)" }
        return try await Executable.run("rangersctl", arguments, environment: environment)
    }
}

public import APNsSimulator
public import ArgumentParser

/// The value of `--further-key`: `FILE,KEY,TEAM`, or `FILE,KEY,TEAM,ENVIRONMENT` for a key that is valid in one
/// environment only.
struct FurtherKey: ExpressibleByArgument {
    let file: String
    let keyID: String
    let teamID: String
    let environment: EmulatedEnvironment?

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard (3...4).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        file = parts[0]
        keyID = parts[1]
        teamID = parts[2]
        guard parts.count == 4 else {
            environment = nil
            return
        }
        guard let environment = EmulatedEnvironment(rawValue: parts[3]) else { return nil }
        self.environment = environment
    }
}

/// This conformance lists the cases in the command line's help; it is public because the type is.
extension EmulatedEnvironment: ExpressibleByArgument {}

public import APNsSimulator
public import ArgumentParser

/// What `--further-key` says: `FILE,KEY,TEAM`, and the environment behind another comma if the key is good for one only.
struct FurtherKey: ExpressibleByArgument {
    let file: String
    let keyID: String
    let teamID: String
    let environment: PushEnvironment?

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
        guard let environment = PushEnvironment(rawValue: parts[3]) else { return nil }
        self.environment = environment
    }
}

/// Public as the type is; the command line lists its cases.
extension PushEnvironment: ExpressibleByArgument {}

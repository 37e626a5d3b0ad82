import Foundation
import GameStore

extension AuditAuthor {
    /// The system user that runs this process.
    static var systemUser: AuditAuthor {
        let user = NSUserName()
        return AuditAuthor(program: "rangersd", user: user.isEmpty ? "\(getuid())" : user)
    }
}

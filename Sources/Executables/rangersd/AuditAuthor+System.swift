import Foundation
import GameStore

extension AuditAuthor {
    /// The system user who runs this program.
    static var systemUser: AuditAuthor {
        let user = NSUserName()
        return AuditAuthor(program: "rangersd", user: user.isEmpty ? "\(getuid())" : user)
    }
}

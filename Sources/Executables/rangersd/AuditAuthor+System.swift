import Foundation
import GameStore

extension AuditAuthor {
    /// Who runs this program on this machine, as the system knows the user.
    static var systemUser: AuditAuthor {
        let user = NSUserName()
        return AuditAuthor(program: "rangersd", user: user.isEmpty ? "\(getuid())" : user)
    }
}

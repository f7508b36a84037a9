import Foundation
import MoyaTransport

/// The Basic scheme (RFC 7617).
package enum BasicAuthentication {
    /// The value of `Authorization` for a user name and password, in UTF-8.
    ///
    /// The user name must contain no colon: the server treats the text after the first colon as the password.
    package static func authorization(user: String, password: String) -> String {
        "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// `true` if a field contains a user name and a password in this scheme.
    static func isField(_ field: HTTPField) -> Bool {
        guard ASCII.equalIgnoringCase(field.name, "authorization") else { return false }
        let value = field.value.drop { $0 == " " || $0 == "\t" }
        return ASCII.equalIgnoringCase(value.prefix { $0 != " " && $0 != "\t" }, "basic")
    }
}

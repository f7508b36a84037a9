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
    ///
    /// A field has one credential (RFC 9110 section 11.6.2), but some servers read a list, as that of challenges.
    static func isField(_ field: HTTPField) -> Bool {
        ASCII.equalIgnoringCase(field.name, "authorization")
            && AuthenticationChallenge.parse([field.value]).contains { ASCII.equalIgnoringCase($0.scheme, "basic") }
    }
}

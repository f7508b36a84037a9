import Foundation
import Moya
import MoyaTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request as plugins see it, with everything chosen by the test.
struct FakeRequest: RequestType {
    var request: URLRequest?
    var sessionHeaders: [String: String] = [:]
    var cURL = ""
    var credentials = Recorder<String>()

    func authenticate(username: String, password: String, persistence: URLCredential.Persistence) -> Self {
        credentials.append("\(username):\(password)")
        return self
    }

    func authenticate(with credential: URLCredential) -> Self {
        credentials.append("\(credential.user ?? ""):\(credential.password ?? "")")
        return self
    }

    func cURLDescription(calling handler: @escaping @Sendable (String) -> Void) -> Self {
        handler(cURL)
        return self
    }
}

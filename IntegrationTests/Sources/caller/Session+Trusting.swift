import Foundation
import Moya
import MoyaSession

extension Session {
    /// A session without storage that trusts the servers of an authority.
    static func trusting(_ authority: URL) -> Session {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return Session(
            configuration: configuration, startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(certificateAuthorities: .file(authority)))
    }
}

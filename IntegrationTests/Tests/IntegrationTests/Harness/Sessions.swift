import Foundation
import Moya
import MoyaSession

extension Session {
    /// A session that trusts the authority of the run's nginx, and no other.
    static func trusting(_ servers: Servers) -> Session {
        with(TransportConfiguration(certificateAuthorities: .file(servers.certificateAuthority)))
    }

    /// A session with everything but the wire's settings as a provider has it by default.
    static func with(_ transport: TransportConfiguration) -> Session {
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default
        return Session(
            configuration: configuration, startRequestsImmediately: false, transportConfiguration: transport)
    }
}

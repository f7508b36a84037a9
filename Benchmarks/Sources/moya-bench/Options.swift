import Foundation
import Moya
import MoyaSession

/// The options after the subcommand.
struct Options: Sendable {
    var client = ""
    var url = URL(fileURLWithPath: "/")
    var inFlight = 1
    var connections = 1
    var seconds = 1.0
    var loops = 1
    var mayUseHTTP2 = false
    var authorities: URL?
    var file: URL?

    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments)
        func value(of name: String) throws(UsageError) -> String {
            guard !rest.isEmpty else { throw UsageError("\(name): a value is missing") }
            return rest.removeFirst()
        }
        func number<N: LosslessStringConvertible>(of name: String) throws(UsageError) -> N {
            let text = try value(of: name)
            guard let number = N(text) else { throw UsageError("\(name): \(text) is no number") }
            return number
        }
        while !rest.isEmpty {
            let name = rest.removeFirst()
            switch name {
            case "--client": client = try value(of: name)
            case "--url":
                let text = try value(of: name)
                guard let url = URL(string: text) else { throw UsageError("--url: \(text) is no URL") }
                self.url = url
            case "--in-flight": inFlight = try number(of: name)
            case "--connections": connections = try number(of: name)
            case "--seconds": seconds = try number(of: name)
            case "--loops": loops = try number(of: name)
            case "--http2": mayUseHTTP2 = true
            case "--ca": authorities = URL(fileURLWithPath: try value(of: name))
            case "--file": file = URL(fileURLWithPath: try value(of: name))
            default: throw UsageError("\(name): unknown option")
            }
        }
    }

    /// The session of every client but URLSession: the provider's default one, with the given number of connections.
    func session(interceptor: (any RequestInterceptor)? = nil, timeouts: Deadlines = Deadlines()) -> Session {
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default
        return Session(
            configuration: configuration,
            startRequestsImmediately: false,
            interceptor: interceptor,
            timeouts: timeouts,
            transportConfiguration: TransportConfiguration(
                maximumConnectionsPerHost: connections,
                certificateAuthorities: authorities.map { .file($0) } ?? .system,
                httpVersions: mayUseHTTP2 ? .http2WhereOffered : .http1Only,
                loops: loops))
    }
}

/// A mistake on the command line.
struct UsageError: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

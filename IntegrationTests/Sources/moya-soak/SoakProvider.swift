import Foundation
import Moya
import MoyaSession
import Synchronization

/// A provider with a separate session that is made, used for its share of the calls, and dropped.
final class SoakProvider: Sendable {
    /// The treatment of the calls in flight when the provider is released.
    enum Farewell {
        /// They end as cancelled.
        case leavesCalls
        /// There are none: each of its calls retains it.
        case waitsForCalls
    }

    let provider: MoyaProvider<SoakAPI>
    let farewell: Farewell
    /// Set before the provider is released with calls in flight.
    let isDropped = Flag()

    init(number: Int, authority: URL) {
        farewell = number.isMultiple(of: 2) ? .leavesCalls : .waitsForCalls
        let configuration = URLSessionConfiguration.default
        configuration.headers = .default
        // A quarter over HTTP/1.1 for each farewell, on 16 connections each, the others over HTTP/2.
        let session = Session(
            configuration: configuration,
            startRequestsImmediately: false,
            transportConfiguration: TransportConfiguration(
                maximumConnectionsPerHost: 16,
                certificateAuthorities: .file(authority),
                httpVersions: number % 4 < 2 ? .http1Only : .http2WhereOffered))
        provider = MoyaProvider(
            callbackQueue: number % 3 == 0 ? nil : .global(), session: session, trackInflights: number % 5 == 0)
    }
}

/// Becomes true once.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }
}

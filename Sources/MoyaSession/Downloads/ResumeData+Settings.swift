import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ResumeData {
    /// The settings of a `URLRequest` that apply to the rest of a download, too.
    struct Settings: Codable, Hashable, Sendable {
        var timeout: Double?
        var cachePolicy: UInt?
        /// The names of what the request does not allow.
        var refused: [String]?
    }
}

extension ResumeData.Settings {
    /// The permissions of a request, with their names in the data.
    private static var flags: [(name: String, path: WritableKeyPath<URLRequest, Bool>)] {
        var flags: [(name: String, path: WritableKeyPath<URLRequest, Bool>)] = [
            ("cookies", \.httpShouldHandleCookies), ("cellular", \.allowsCellularAccess),
        ]
        #if canImport(Darwin)
        flags += [("expensive", \.allowsExpensiveNetworkAccess), ("constrained", \.allowsConstrainedNetworkAccess)]
        #endif
        return flags
    }

    /// The settings that differ from the default; `nil` without one.
    init?(of request: URLRequest) {
        let standard = URLRequest(url: request.url ?? URL(fileURLWithPath: "/"))
        if request.timeoutInterval != standard.timeoutInterval, request.timeoutInterval.isFinite {
            timeout = request.timeoutInterval
        }
        if request.cachePolicy != standard.cachePolicy { cachePolicy = request.cachePolicy.rawValue }
        let names = Self.flags.filter { !request[keyPath: $0.path] }.map(\.name)
        if !names.isEmpty { refused = names }
        guard timeout != nil || cachePolicy != nil || refused != nil else { return nil }
    }

    func apply(to request: inout URLRequest) {
        if let timeout { request.timeoutInterval = timeout }
        if let policy = cachePolicy.flatMap(URLRequest.CachePolicy.init) { request.cachePolicy = policy }
        for flag in Self.flags where refused?.contains(flag.name) == true { request[keyPath: flag.path] = false }
    }
}

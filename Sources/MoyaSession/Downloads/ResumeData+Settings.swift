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

extension URLRequest {
    /// The permissions of a request, with their names in the data of a download.
    private static var permissions: [(name: String, path: WritableKeyPath<URLRequest, Bool>)] {
        var permissions: [(name: String, path: WritableKeyPath<URLRequest, Bool>)] = [
            ("cookies", \.httpShouldHandleCookies), ("cellular", \.allowsCellularAccess),
        ]
        #if canImport(Darwin)
        permissions += [
            ("expensive", \.allowsExpensiveNetworkAccess), ("constrained", \.allowsConstrainedNetworkAccess),
        ]
        #endif
        return permissions
    }

    /// The names of what the request does not allow.
    var refusedPermissions: [String] { Self.permissions.filter { !self[keyPath: $0.path] }.map(\.name) }

    fileprivate mutating func refuse(_ names: [String]) {
        for (name, path) in Self.permissions where names.contains(name) { self[keyPath: path] = false }
    }
}

extension ResumeData.Settings {
    /// The settings that differ from the default; `nil` without one.
    init?(of request: URLRequest) {
        let standard = URLRequest(url: request.url ?? URL(fileURLWithPath: "/"))
        if request.timeoutInterval != standard.timeoutInterval, request.timeoutInterval.isFinite {
            timeout = request.timeoutInterval
        }
        if request.cachePolicy != standard.cachePolicy { cachePolicy = request.cachePolicy.rawValue }
        let names = request.refusedPermissions
        if !names.isEmpty { refused = names }
        guard timeout != nil || cachePolicy != nil || refused != nil else { return nil }
    }

    func apply(to request: inout URLRequest) {
        if let timeout { request.timeoutInterval = timeout }
        if let policy = cachePolicy.flatMap(URLRequest.CachePolicy.init) { request.cachePolicy = policy }
        request.refuse(refused ?? [])
    }
}

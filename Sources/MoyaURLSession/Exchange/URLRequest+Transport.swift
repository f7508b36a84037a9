import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
    /// Makes the request for `URLSession`, without the body.
    ///
    /// - Throws: The reason that it cannot be sent: Foundation would change it or trap.
    init(_ request: HTTPRequest) throws(TransportFailure) {
        if let problem = HTTPRequest.problem(ofMethod: request.method) { throw .unsendable(problem) }
        if let problem = HTTPRequest.problem(ofURL: request.url) { throw .unsendable(problem) }
        guard let url = URL(spelled: request.url), url.host?.isEmpty == false else {
            throw .unsendable("The URL names no host.")
        }
        if request.timeouts.connect != nil { throw .noConnectLimit }
        if let problem = request.authentication?.problem { throw .unsendable(problem) }
        if let scheme = request.authentication?.scheme, !URLSessionSettings.authenticationSchemes.contains(scheme) {
            throw .unsupported("authentication: \(scheme.rawValue)")
        }
        if request.hasBody, Self.methodsWithoutBody.contains(request.method.uppercased()) {
            throw .unsupported("a body in a \(request.method)", "sends none")
        }
        // The transport enforces time limits itself.
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: URLSessionSettings.noTimeout)
        httpMethod = request.method
        httpShouldHandleCookies = false
        if let original = request.urlRequest { takeNetworkSettings(of: original) }
        for field in request.fields {
            switch HTTPField.fate(field.name, field.value) {
            case .sent: break
            case .dropped: continue
            case .refused: throw .malformedField(field.name)
            }
            if !request.hasBody, ASCII.equalIgnoringCase(field.name, "expect") { continue }
            if request.authentication != nil, ASCII.equalIgnoringCase(field.name, "authorization") { continue }
            add(field)
        }
    }

    #if canImport(Darwin)
    private static let methodsWithoutBody: Set<String> = ["GET"]
    #else
    /// Foundation on Linux would state the length of a body of HEAD, and send none: the server would take the next request
    /// for it.
    private static let methodsWithoutBody: Set<String> = ["GET", "HEAD"]
    #endif

    /// Copies the settings of the network.
    private mutating func takeNetworkSettings(of original: URLRequest) {
        networkServiceType = original.networkServiceType
        allowsCellularAccess = original.allowsCellularAccess
        #if canImport(Darwin)
        allowsExpensiveNetworkAccess = original.allowsExpensiveNetworkAccess
        allowsConstrainedNetworkAccess = original.allowsConstrainedNetworkAccess
        assumesHTTP3Capable = original.assumesHTTP3Capable
        attribution = original.attribution
        if #available(macOS 13, iOS 16.1, tvOS 16.1, watchOS 9.1, *) {
            requiresDNSSECValidation = original.requiresDNSSECValidation
        }
        #endif
    }

    /// Adds a field; the values of one name are joined, since a request keeps one value per name (RFC 9110 section
    /// 5.3).
    private mutating func add(_ field: HTTPField) {
        guard let value = value(forHTTPHeaderField: field.name) else {
            return setValue(field.value, forHTTPHeaderField: field.name)
        }
        // RFC 6265 section 5.4 has one Cookie field, which contains no comma.
        let separator = ASCII.equalIgnoringCase(field.name, "cookie") ? "; " : ", "
        setValue(value + separator + field.value, forHTTPHeaderField: field.name)
    }
}

extension HTTPRequest {
    fileprivate var hasBody: Bool { body.length != 0 }
}

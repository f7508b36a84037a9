#if os(Linux)
import CMoyaCurl
import Foundation
import Glibc
import MoyaTransport

/// The proxy of a transport, in libcurl's form.
enum CurlProxy: Sendable {
    case environment
    case none
    case custom(TransportConfiguration.Proxy, url: String, exceptions: String)

    /// `true` if a request may use a proxy.
    var mayBeUsed: Bool {
        switch self {
        case .environment: ProxyEnvironment.isSet
        case .none: false
        case .custom: true
        }
    }

    /// `true` if requests may use a proxy that reads them.
    var speaksHTTP: Bool {
        if case .custom(let proxy, _, _) = self { proxy.kind != .socks5 } else { mayBeUsed }
    }

    /// `true` if connections to the proxy may use TLS.
    var mayUseTLS: Bool {
        if case .custom(let proxy, _, _) = self { proxy.kind == .https } else { mayBeUsed }
    }

    /// The name of the proxy in error messages.
    var name: String {
        if case .custom(let proxy, _, _) = self { "The proxy \(proxy)" } else { "The proxy of the environment" }
    }

    init(_ setting: TransportConfiguration.ProxySetting, library: CurlLibrary) throws(TransportFailure) {
        switch setting {
        case .environment: self = .environment
        case .none: self = .none
        case .custom(let proxy):
            if let fault = Self.fault(in: proxy, library) { throw fault }
            let host = try Self.host(of: proxy)
            let exceptions = try Self.list(proxy.exceptions, library)
            self = .custom(proxy, url: Self.url(of: proxy, host: host), exceptions: exceptions)
        }
    }

    /// Sets a handle's options; returns the reason for a failure.
    func apply(to easy: UnsafeMutableRawPointer) -> TransportFailure? {
        guard mayBeUsed else {
            moya_easy_set_string(easy, CURLOPT_PROXY, "")
            // Otherwise libcurl searches the environment for exceptions with every request.
            moya_easy_set_string(easy, CURLOPT_NOPROXY, "*")
            return nil
        }
        if case .environment = self, let name = ProxyEnvironment.unfit { return .malformedProxy(name) }
        // Header fields for the server must not reach the proxy.
        moya_easy_set_long(easy, CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        guard case .custom(let proxy, let url, let exceptions) = self else { return nil }
        guard moya_easy_set_string(easy, CURLOPT_PROXY, url) == CURLE_OK else {
            return .missing("proxy: \(proxy.kind.rawValue)")
        }
        // An empty list overrides that of the environment.
        moya_easy_set_string(easy, CURLOPT_NOPROXY, exceptions)
        return nil
    }

    /// The URL of a proxy, with its credentials: libcurl decodes those of a URL once, and those of its options by version.
    private static func url(of proxy: TransportConfiguration.Proxy, host: String) -> String {
        // The final h makes the proxy resolve names.
        let scheme = proxy.kind == .socks5 ? "socks5h" : proxy.kind.rawValue
        func escaped(_ text: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
        }
        let user = proxy.credentials.map { "\(escaped($0.user)):\(escaped($0.password))@" } ?? ""
        return "\(scheme)://\(user)\(host.contains(":") ? "[\(host)]" : host):\(proxy.port)"
    }

    // MARK: Checking

    private static func fault(in proxy: TransportConfiguration.Proxy, _ library: CurlLibrary) -> TransportFailure? {
        // The text before the sign may be a password.
        if proxy.host.contains("@") {
            return invalid(
                "the host contains @. Give a user name and a password as credentials, and a host without them.")
        }
        if !(1...65_535).contains(proxy.port) {
            return invalid("port \(proxy.port) is invalid: ports are 1 to 65535.")
        }
        if proxy.kind == .https, !library.has(CURL_VERSION_HTTPS_PROXY) {
            return .missing("proxy: https", from: library)
        }
        return proxy.credentials.flatMap { fault(in: $0, for: proxy.kind) }
    }

    /// The host in ASCII, or an IPv6 address with its zone.
    private static func host(of proxy: TransportConfiguration.Proxy) throws(TransportFailure) -> String {
        let address = proxy.host.prefix { $0 != "%" }
        if EndpointSettings.address(String(address)) == AF_INET6, proxy.host.utf8.allSatisfy(isOfZone) {
            return proxy.host
        }
        guard !proxy.host.contains(":") else {
            throw invalid(
                "host \(proxy.host.debugDescription) is neither a name nor an address. Give the port as port:.")
        }
        guard !proxy.host.utf8.contains(UInt8(ascii: "%")), let host = CanonicalHost.of(proxy.host) else {
            throw invalid("host \(proxy.host.debugDescription) is neither a name nor an address.")
        }
        return host
    }

    private static func fault(
        in credentials: TransportConfiguration.Proxy.Credentials, for kind: TransportConfiguration.Proxy.Kind
    ) -> TransportFailure? {
        if let problem = CredentialText.problem(
            user: credentials.user, password: credentials.password, isBasic: kind != .socks5)
        {
            return invalid(problem)
        }
        let bytes = [credentials.user.utf8, credentials.password.utf8]
        if kind == .socks5, credentials.user.isEmpty || bytes.contains(where: { $0.count > 255 }) {
            return invalid("SOCKS 5 takes user names of 1 to 255 bytes and passwords of at most 255 (RFC 1929).")
        }
        return nil
    }

    /// The exceptions as one text; `*` means every host only if it stands alone.
    static func list(_ exceptions: [String], _ library: CurlLibrary = .loaded) throws(TransportFailure) -> String {
        var names: [String] = []
        for exception in exceptions {
            if exception == "*" { return "*" }
            guard let name = name(ofException: exception) else {
                let shown = SecretMask.withoutUser(exception).debugDescription
                throw invalid("exception \(shown) is no name, address or network of IPv4.")
            }
            if name.contains("/"), !library.version.exceptsNetworks {
                throw .missing("proxy: exception \(exception), a network,", from: library)
            }
            names.append(name)
        }
        return names.joined(separator: ",")
    }

    /// An exception in the only spelling that libcurl recognizes in a URL; `nil` if it is no name, address or network.
    ///
    /// No libcurl up to 8.14 matches a network of IPv6.
    private static func name(ofException exception: String) -> String? {
        let marked = ["*.", "."].first { exception.hasPrefix($0) } ?? ""
        let name = exception.dropFirst(marked.count)
        guard let slash = name.firstIndex(of: "/") else { return CanonicalHost.of(String(name)) }
        let address = String(name[..<slash])
        guard EndpointSettings.address(address) == AF_INET, let bits = ASCII.number(name[slash...].utf8.dropFirst()),
            (1...32).contains(bits)
        else { return nil }
        return "\(address)/\(bits)"
    }

    /// `true` for a byte of an address or of the name of an interface.
    private static func isOfZone(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func invalid(_ message: String) -> TransportFailure { .invalid("proxy", message) }
}
#endif

#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// The settings of a transport for the endpoints of connections, in libcurl's form.
struct EndpointSettings: Sendable {
    /// The paths of sockets by the origins that they serve.
    private var unixSockets: [HTTPOrigin: String] = [:]
    /// Lines of `CURLOPT_RESOLVE` and of `CURLOPT_CONNECT_TO`.
    private var resolved = OptionList()
    private var connected = OptionList()
    private var localEndpoint: TransportConfiguration.LocalEndpoint?
    private var dnsServers = ""
    private var happyEyeballsMilliseconds: Int?
    /// `true` if a connection through a socket may carry more than one request.
    private(set) var sharesUnixSockets = false

    /// Makes settings without any of them.
    init() {}

    init(
        _ configuration: TransportConfiguration, proxy: CurlProxy, library: CurlLibrary
    ) throws(TransportFailure) {
        unixSockets = try Self.sockets(configuration.unixSockets, library: library)
        if !configuration.resolveOverrides.isEmpty, proxy.mayBeUsed {
            throw .invalid(
                "resolveOverrides",
                "\(proxy.name) resolves names itself. Use proxy: .none, or a session without overrides for hosts behind it."
            )
        }
        var names: Set<String> = []
        for entry in configuration.resolveOverrides {
            try Self.check(entry)
            guard let host = CanonicalHost.of(entry.host), names.insert("\(host):\(entry.port)").inserted else {
                throw .invalid(
                    "resolveOverrides", "\(entry.host):\(entry.port) has two overrides. Give one, with all addresses.")
            }
        }
        (resolved, connected) = Self.lists(configuration.resolveOverrides)
        localEndpoint = configuration.localEndpoint
        try Self.check(configuration.localEndpoint)
        dnsServers = try Self.list(ofServers: configuration.dnsServers, library: library)
        happyEyeballsMilliseconds = configuration.happyEyeballsDelay.map { delay in
            Int(Int32(clamping: Int64((max(.zero, delay).seconds * 1_000).rounded(.up))))
        }
        // `SocketTable` finds a connection by its ends, to check it before another request is sent on it. A connection
        // over a Unix socket has none, so it carries one request, except without TLS over HTTP/2, whose frames name the
        // request they answer, with libcurl 8.14 to 8.21: older versions cannot reuse such a connection, and newer ones
        // do not look for its end before each use.
        sharesUnixSockets =
            configuration.httpVersions == .http2PriorKnowledge && library.version.reusesPriorKnowledge
            && library.version.looksBeforeReuse
    }

    /// Sets the permanent options of a handle; returns the reason for a failure.
    func apply(to easy: UnsafeMutableRawPointer) -> TransportFailure? {
        if let first = resolved.first { moya_easy_set_pointer(easy, CURLOPT_RESOLVE, first) }
        if let first = connected.first { moya_easy_set_pointer(easy, CURLOPT_CONNECT_TO, first) }
        switch localEndpoint {
        case .address(let address):
            moya_easy_set_string(easy, CURLOPT_INTERFACE, "host!\(address)")
            // Otherwise the other family's addresses would fail one by one, without a reason.
            moya_easy_set_long(
                easy, CURLOPT_IPRESOLVE, address.contains(":") ? Int(CURL_IPRESOLVE_V6) : Int(CURL_IPRESOLVE_V4))
        case .interface(let name): moya_easy_set_string(easy, CURLOPT_INTERFACE, "if!\(name)")
        case nil: break
        }
        if !dnsServers.isEmpty, moya_easy_set_string(easy, CURLOPT_DNS_SERVERS, dnsServers) != CURLE_OK {
            return Self.withoutDNSServers(.loaded)
        }
        if let happyEyeballsMilliseconds {
            moya_easy_set_long(easy, CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, happyEyeballsMilliseconds)
        }
        return nil
    }

    /// Selects the socket for the server of a URL, if any, otherwise the network; returns the socket's path.
    func choose(for url: String, on easy: UnsafeMutableRawPointer) -> String? {
        guard !unixSockets.isEmpty else { return nil }
        let path = HTTPOrigin(requested: url).flatMap { unixSockets[$0] }
        moya_easy_set_string(easy, CURLOPT_UNIX_SOCKET_PATH, path)
        moya_easy_set_long(easy, CURLOPT_FORBID_REUSE, path != nil && !sharesUnixSockets ? 1 : 0)
        return path
    }

    /// The local endpoint in error messages.
    var localName: String? {
        switch localEndpoint {
        case .address(let address): "the local address \(address)"
        case .interface(let name): "the interface \(name)"
        case nil: nil
        }
    }

    private static func withoutDNSServers(_ library: CurlLibrary) -> TransportFailure {
        TransportFailure(
            .unsupported,
            message: "dnsServers cannot be honoured: this libcurl (\(library.version)) was built without c-ares. Use "
                + "resolveOverrides, or the system's DNS servers.")
    }
}

// MARK: Checking

extension EndpointSettings {
    private static func sockets(
        _ settings: [TransportConfiguration.UnixSocket], library: CurlLibrary
    ) throws(TransportFailure) -> [HTTPOrigin: String] {
        var paths: [HTTPOrigin: String] = [:]
        for setting in settings {
            if !library.has(CURL_VERSION_UNIX_SOCKETS) { throw .missing("unixSockets", from: library) }
            guard let origin = HTTPOrigin(setting: setting.origin) else {
                let shown = SecretMask.standard.url(setting.origin).debugDescription
                throw .invalid(
                    "unixSockets",
                    "\(shown) is no origin. Give http:// or https://, a host, and a port where it is not the scheme's.")
            }
            let length = setting.path.utf8.count
            if length > UnixSocketPath.mostBytes {
                throw .invalid(
                    "unixSockets",
                    "the path \(setting.path) has \(length) bytes: a socket's has at most \(UnixSocketPath.mostBytes).")
            }
            if length == 0 || setting.path.utf8.contains(0) {
                throw .invalid("unixSockets", "\(setting.path.debugDescription) is no path of a socket.")
            }
            guard paths.updateValue(setting.path, forKey: origin) == nil else {
                throw .invalid("unixSockets", "\(setting.origin) has two sockets. Give one.")
            }
        }
        return paths
    }

    private static func check(_ entry: TransportConfiguration.ResolveOverride) throws(TransportFailure) {
        guard let host = CanonicalHost.of(entry.host), address(host) == nil else {
            let shown = SecretMask.withoutUser(entry.host).debugDescription
            throw .invalid(
                "resolveOverrides",
                "\(shown) is no host name: it has neither scheme, port nor wildcard, and is no address.")
        }
        for port in [entry.port, entry.connectPort ?? 1] where !(1...65_535).contains(port) {
            throw .invalid("resolveOverrides", "port \(port) of \(host) is invalid: ports are 1 to 65535.")
        }
        if entry.addresses.isEmpty {
            throw .invalid("resolveOverrides", "\(host) has no address. Give one, or leave the override out.")
        }
        for text in entry.addresses where address(text) == nil {
            throw .invalid(
                "resolveOverrides",
                "\(text.debugDescription) for \(host) is no address, such as 192.0.2.7 or 2001:db8::7.")
        }
    }

    private static func check(_ endpoint: TransportConfiguration.LocalEndpoint?) throws(TransportFailure) {
        switch endpoint {
        case .address(let text) where address(text) == nil:
            throw .invalid(
                "localEndpoint", "\(text.debugDescription) is no address, such as 192.0.2.7 or 2001:db8::7.")
        // IFNAMSIZ, including the terminating zero.
        case .interface(let name)
        where !(1...15).contains(name.utf8.count)
            || name.utf8.contains { $0 <= 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "!") }:
            throw .invalid(
                "localEndpoint", "\(name.debugDescription) is no name of an interface: they have 1 to 15 bytes.")
        default: break
        }
    }

    private static func list(ofServers servers: [String], library: CurlLibrary) throws(TransportFailure) -> String {
        for server in servers where !isServer(server) {
            throw .invalid(
                "dnsServers",
                "\(server.debugDescription) is no address of a server, such as 192.0.2.53, 192.0.2.53:5353 or "
                    + "[2001:db8::53]:5353.")
        }
        if !servers.isEmpty, !library.hasDNSServers { throw withoutDNSServers(library) }
        return servers.joined(separator: ",")
    }

    /// `true` for an address, with or without a port; IPv6 with a port is in brackets.
    private static func isServer(_ text: String) -> Bool {
        if address(text) != nil { return true }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")), let port = Int(text[text.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return false }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            return address(String(host.dropFirst().dropLast())) == AF_INET6
        }
        return address(String(host)) == AF_INET
    }

    /// The family of an address in its usual form; `nil` if the text is not an address.
    static func address(_ text: String) -> Int32? {
        guard !text.utf8.contains(0) else { return nil }
        var bytes = in6_addr()
        return [AF_INET, AF_INET6].first { inet_pton($0, text, &bytes) == 1 }
    }
}

// MARK: Lines of libcurl's

extension EndpointSettings {
    /// The lines of overrides that keep the port, and of those that change it.
    ///
    /// libcurl treats a name with a trailing dot as another name.
    private static func lists(_ overrides: [TransportConfiguration.ResolveOverride]) -> (OptionList, OptionList) {
        var resolved: [String] = []
        var connected: [String] = []
        for (index, entry) in overrides.enumerated() {
            guard let host = CanonicalHost.of(entry.host) else { continue }
            let addresses = entry.addresses.map(bracketed).joined(separator: ",")
            let names = [host, "\(host)."]
            guard let port = entry.connectPort, port != entry.port else {
                resolved += names.map { "\($0):\(entry.port):\(addresses)" }
                continue
            }
            // An entry for the other port under the host's name would also override requests to that port.
            var target = addresses
            if entry.addresses.count > 1 {
                target = "\(index).override.invalid"
                resolved.append("\(target):\(port):\(addresses)")
            }
            connected += names.map { "\($0):\(entry.port):\(target):\(port)" }
        }
        return (OptionList(resolved), OptionList(connected))
    }

    private static func bracketed(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }
}

/// A list of texts for libcurl, which does not copy it.
///
/// `@unchecked`: immutable after initialization.
private final class OptionList: @unchecked Sendable {
    let first: UnsafeMutablePointer<curl_slist>?

    init(_ lines: [String] = []) {
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { list = curl_slist_append(list, line) ?? list }
        first = list
    }

    deinit { curl_slist_free_all(first) }
}
#endif

import Foundation
import Testing

/// The servers that `Scripts/with-servers` started for this run, as it names them in the environment.
struct Servers: Sendable {
    /// httpbin, HTTP/1.1.
    let httpbin: URL
    /// nginx, HTTP/1.1.
    let nginx: URL
    /// nginx over TLS, HTTP/2 where the client offers it.
    let nginxTLS: URL
    /// The Unix domain socket of the same server.
    let nginxTLSSocket: URL
    /// nginx without TLS, HTTP/2 alone.
    let nginxH2C: URL
    /// nginx over TLS, with another host's certificate.
    let nginxWrongName: URL
    /// The PEM file of the authority that signed nginx's certificates.
    let certificateAuthority: URL
    /// The log nginx writes a line to for each request.
    let accessLog: AccessLog
    /// The folder for files that nginx receives by PUT under `/uploads/`.
    let uploads: URL
    /// An authorization server, whose tokens for the user `ole` live for two seconds, and the API behind it.
    let oauth: URL
    /// The 100 MiB file that nginx serves as `/static/large.bin`.
    let largeFile: URL

    /// The directory with the output of make-trust-certificates.sh.
    let trustCertificates: URL
    /// nginx over TLS 1.2, and nothing newer.
    let nginxTLS12: URL
    /// nginx over TLS 1.3, and nothing older.
    let nginxTLS13: URL
    /// nginx over TLS, which takes ten requests on a connection.
    let nginxShortLived: URL
    /// nginx over TLS, for clients with a certificate of the authority root.pem.
    let nginxForClients: URL
    /// The ports of the proxies: tinyproxy and microsocks without and with a password, and tinyproxy behind TLS.
    let proxyPort: Int
    let privateProxyPort: Int
    let tlsProxyPort: Int
    let socksPort: Int
    let privateSOCKSPort: Int
    /// The port of Apache, a proxy that caches.
    let cachePort: Int
    /// The server that a test controls, behind the others.
    let origin: Origin
    /// The server of streams that a test controls, behind nginx or directly.
    let feeds: Feeds
    /// The servers that a test starts itself, by name.
    let kept: [String: KeptServer.Description]

    /// The servers of this run, `nil` if there are none.
    static let running = environment["MOYA_NGINX_HTTP_URL"] == nil ? nil : Servers()

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }

    /// Stops the process if a variable is missing: `nil` would skip every test.
    private init() {
        let environment = Self.environment
        func value<Value>(_ name: String, _ read: (String) -> Value?) -> Value {
            guard let value = environment[name].flatMap(read) else { fatalError("\(name) is missing or malformed") }
            return value
        }
        func url(_ name: String) -> URL { value(name) { URL(string: $0) } }
        func port(_ name: String) -> Int { value(name) { Int($0) } }
        func file(_ name: String) -> URL { value(name) { URL(fileURLWithPath: $0) } }
        httpbin = url("MOYA_HTTPBIN_URL")
        nginx = url("MOYA_NGINX_HTTP_URL")
        nginxTLS = url("MOYA_NGINX_HTTPS_URL")
        nginxTLSSocket = file("MOYA_HTTPS_SOCKET")
        nginxH2C = url("MOYA_H2C_URL")
        nginxWrongName = url("MOYA_NGINX_WRONG_NAME_URL")
        certificateAuthority = file("MOYA_TEST_CA")
        accessLog = AccessLog(file: file("MOYA_NGINX_ACCESS_LOG"))
        uploads = file("MOYA_NGINX_UPLOADS")
        oauth = url("MOYA_OAUTH_URL")
        largeFile = file("MOYA_LARGE_FILE")
        trustCertificates = file("MOYA_TRUST_CERTIFICATES")
        nginxTLS12 = url("MOYA_TLS12_URL")
        nginxTLS13 = url("MOYA_TLS13_URL")
        nginxShortLived = url("MOYA_SHORT_LIVED_URL")
        nginxForClients = url("MOYA_CLIENT_URL")
        proxyPort = port("MOYA_PROXY_PORT")
        privateProxyPort = port("MOYA_PRIVATE_PROXY_PORT")
        tlsProxyPort = port("MOYA_TLS_PROXY_PORT")
        socksPort = port("MOYA_SOCKS_PORT")
        privateSOCKSPort = port("MOYA_PRIVATE_SOCKS_PORT")
        cachePort = port("MOYA_CACHE_PORT")
        origin = Origin(url: url("MOYA_ORIGIN_URL"))
        feeds = Feeds(url: url("MOYA_FEEDS_URL"))
        kept = value("MOYA_KEPT_SERVERS") {
            try? JSONDecoder().decode([String: KeptServer.Description].self, from: Data($0.utf8))
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, if no servers were started for this run.
    static var needsServers: Self {
        .enabled(if: Servers.running != nil, "no servers: run `make test` or `Scripts/with-servers swift test`")
    }
}

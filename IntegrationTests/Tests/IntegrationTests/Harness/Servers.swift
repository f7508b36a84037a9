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
    /// An authorization server whose tokens live for two seconds, and the API behind it.
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
    static let running = Servers(environment: ProcessInfo.processInfo.environment)

    private init?(environment: [String: String]) {
        func url(_ name: String) -> URL? { environment[name].flatMap { URL(string: $0) } }
        func port(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
        func file(_ name: String) -> URL? { environment[name].map { URL(fileURLWithPath: $0) } }
        guard
            let httpbin = url("MOYA_HTTPBIN_URL"),
            let nginx = url("MOYA_NGINX_HTTP_URL"),
            let nginxTLS = url("MOYA_NGINX_HTTPS_URL"),
            let nginxTLSSocket = file("MOYA_HTTPS_SOCKET"),
            let nginxH2C = url("MOYA_H2C_URL"),
            let nginxWrongName = url("MOYA_NGINX_WRONG_NAME_URL"),
            let certificateAuthority = file("MOYA_TEST_CA"),
            let accessLog = file("MOYA_NGINX_ACCESS_LOG"),
            let uploads = file("MOYA_NGINX_UPLOADS"),
            let oauth = url("MOYA_OAUTH_URL"),
            let largeFile = file("MOYA_LARGE_FILE"),
            let trustCertificates = file("MOYA_TRUST_CERTIFICATES"),
            let nginxTLS12 = url("MOYA_TLS12_URL"),
            let nginxForClients = url("MOYA_CLIENT_URL"),
            let proxyPort = port("MOYA_PROXY_PORT"),
            let privateProxyPort = port("MOYA_PRIVATE_PROXY_PORT"),
            let tlsProxyPort = port("MOYA_TLS_PROXY_PORT"),
            let socksPort = port("MOYA_SOCKS_PORT"),
            let privateSOCKSPort = port("MOYA_PRIVATE_SOCKS_PORT"),
            let nginxTLS13 = url("MOYA_TLS13_URL"),
            let nginxShortLived = url("MOYA_SHORT_LIVED_URL"),
            let cachePort = port("MOYA_CACHE_PORT"),
            let origin = url("MOYA_ORIGIN_URL"),
            let feeds = url("MOYA_FEEDS_URL"),
            let kept = environment["MOYA_KEPT_SERVERS"].flatMap({
                try? JSONDecoder().decode([String: KeptServer.Description].self, from: Data($0.utf8))
            })
        else { return nil }
        self.httpbin = httpbin
        self.nginx = nginx
        self.nginxTLS = nginxTLS
        self.nginxTLSSocket = nginxTLSSocket
        self.nginxH2C = nginxH2C
        self.nginxWrongName = nginxWrongName
        self.certificateAuthority = certificateAuthority
        self.accessLog = AccessLog(file: accessLog)
        self.uploads = uploads
        self.oauth = oauth
        self.largeFile = largeFile
        self.trustCertificates = trustCertificates
        self.nginxTLS12 = nginxTLS12
        self.nginxForClients = nginxForClients
        self.proxyPort = proxyPort
        self.privateProxyPort = privateProxyPort
        self.tlsProxyPort = tlsProxyPort
        self.socksPort = socksPort
        self.privateSOCKSPort = privateSOCKSPort
        self.nginxTLS13 = nginxTLS13
        self.nginxShortLived = nginxShortLived
        self.cachePort = cachePort
        self.origin = Origin(url: origin)
        self.feeds = Feeds(url: feeds)
        self.kept = kept
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, with the reason, if no servers were started for this run.
    static var needsServers: Self {
        .enabled(if: Servers.running != nil, "no servers: run `make test` or `Scripts/with-servers swift test`")
    }
}

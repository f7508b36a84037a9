import Foundation
import Testing

/// The servers that `Scripts/with-servers` started for this run, as it names them in the environment.
struct Servers: Sendable {
    /// httpbin, HTTP/1.1.
    let httpbin: URL
    /// nginx, HTTP/1.1.
    let nginx: URL
    /// nginx over TLS, HTTP/2 where the client asks for it.
    let nginxTLS: URL
    /// nginx over TLS, with another host's certificate.
    let nginxWrongName: URL
    /// The PEM file of the authority that signed nginx's certificates.
    let certificateAuthority: URL
    /// The log nginx writes a line to for each request.
    let accessLog: AccessLog
    /// Where nginx keeps what is PUT under `/uploads/`.
    let uploads: URL
    /// An authorization server whose tokens live for two seconds, and the API behind it.
    let oauth: URL
    /// The 100 MiB file that nginx serves as `/static/large.bin`.
    let largeFile: URL

    /// The servers of this run, `nil` when there are none.
    static let running = Servers(environment: ProcessInfo.processInfo.environment)

    private init?(environment: [String: String]) {
        func url(_ name: String) -> URL? { environment[name].flatMap { URL(string: $0) } }
        func file(_ name: String) -> URL? { environment[name].map { URL(fileURLWithPath: $0) } }
        guard
            let httpbin = url("MOYA_HTTPBIN_URL"),
            let nginx = url("MOYA_NGINX_HTTP_URL"),
            let nginxTLS = url("MOYA_NGINX_HTTPS_URL"),
            let nginxWrongName = url("MOYA_NGINX_WRONG_NAME_URL"),
            let certificateAuthority = file("MOYA_TEST_CA"),
            let accessLog = file("MOYA_NGINX_ACCESS_LOG"),
            let uploads = file("MOYA_NGINX_UPLOADS"),
            let oauth = url("MOYA_OAUTH_URL"),
            let largeFile = file("MOYA_LARGE_FILE")
        else { return nil }
        self.httpbin = httpbin
        self.nginx = nginx
        self.nginxTLS = nginxTLS
        self.nginxWrongName = nginxWrongName
        self.certificateAuthority = certificateAuthority
        self.accessLog = AccessLog(file: accessLog)
        self.uploads = uploads
        self.oauth = oauth
        self.largeFile = largeFile
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips, and says why, when no servers were started for this run.
    static var needsServers: Self {
        .enabled(if: Servers.running != nil, "no servers: run `make test` or `Scripts/with-servers swift test`")
    }
}

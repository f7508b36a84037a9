import Foundation

/// A case of the driver, as one line of JSON on standard input.
struct Order: Decodable {
    /// The entry of ``AttackCommand/verbs`` that runs the case.
    var verb: String
    /// Settings of the session; `nil` for the defaults.
    var session: SessionOrder?
    /// The calls, made one after the other.
    var calls: [CallOrder]?
    /// A setting, a place, an encoding: the meaning depends on the verb.
    var name: String?
    /// A value for it.
    var value: String?
    /// A second name.
    var place: String?
    /// A file.
    var path: String?
    /// A count, such as a depth.
    var count: Int?
    /// The entry of ``AttackCommand/verbs`` that `inherit` runs in place of the calls.
    var inner: String?
    /// The limits of the process.
    var limits: Limits?

    struct Limits: Decodable {
        /// The maximum growth of peak resident memory, in mebibytes.
        var memory: Double?
        /// The maximum CPU time in seconds.
        var processor: Double?
        /// The maximum CPU time in seconds to log a response once, the least of five tries.
        var masking: Double?
        /// The maximum number of additional open descriptors.
        var descriptors: Int?
        /// Value of `RLIMIT_NOFILE`.
        var openFiles: Int?
    }
}

/// The settings of a session.
struct SessionOrder: Decodable {
    var authorities: String?
    var http1: Bool?
    var http2WithoutTLS: Bool?
    var connections: Int?
    var proxy: Proxy?
    var unixSocket: UnixSocket?
    var identity: Identity?
    var origins: [String]?
    var evaluators: [String: Evaluator]?
    var allHosts: Bool?
    var credentialFields: [String]?
    var refusesBasic: Bool?
    var connect: Double?
    var idle: Double?
    var total: Double?
    var cache: Bool?
    var tls13: Bool?
    /// Number of retries by `RetryPolicy`.
    var retries: UInt?

    struct Proxy: Decodable {
        var kind: String?
        var host: String?
        var port: Int
        var user: String?
        var password: String?
        var exceptions: [String]?
    }

    struct UnixSocket: Decodable {
        var path: String
        var origin: String
    }

    struct Identity: Decodable {
        var chain: String
        var key: String
    }

    struct Evaluator: Decodable {
        var kind: String
        var files: [String]?
        var acceptsSelfSigned: Bool?
        var validates: Bool?
        var validatesHost: Bool?
        var parts: [Evaluator]?
    }
}

/// A call of a session.
struct CallOrder: Decodable {
    /// `data`, `string`, `wire`, `upload`, `file`, `stream`, `form`, `download`, `target` or `tokens`; the default is
    /// `data`.
    var kind: String?
    var method: String?
    var url: String
    var headers: [[String]]?
    var body: String?
    var parameters: [String: String]?
    /// The file of an upload, or the destination of a download.
    var path: String?
    var options: [String]?
    var parts: [Part]?
    var boundary: String?
    var user: String?
    var password: String?
    var token: String?
    var total: Double?
    /// The maximum number of bytes of the response.
    var maximumBytes: Int?
    var times: Int?
    var parallel: Bool?
    /// Response fields that are printed.
    var shows: [String]?
    /// A text that the error must contain.
    var names: String?
    /// Milliseconds after which the call is cancelled.
    var cancelAfter: Int?
    /// Milliseconds to wait before the call, for actions of the server.
    var wait: Int?
    /// A file that replaces another before the call.
    var swap: [String]?

    struct Part: Decodable {
        var name: String
        var fileName: String?
        var type: String?
        var data: String?
        /// The file whose contents are the part, in place of the data.
        var file: String?
    }
}

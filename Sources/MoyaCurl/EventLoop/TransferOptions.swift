#if os(Linux)
import CMoyaCurl
import Foundation
import Glibc
import MoyaTransport

/// Sets libcurl's options for a transfer and remembers them, so that the next request on the same handle sets only the
/// differences.
struct TransferOptions {
    private var isPlain = true
    /// `true` if the handle has a user and a password, which belong to a single request.
    private(set) var holdsCredential = false
    /// The current limit of connecting; negative if it was not set.
    private var connectMilliseconds = -1
    /// The current URL.
    private var url = ""
    private var httpVersions = TransportConfiguration.HTTPVersions.http1Only
    private var waitsForStreams = false
    /// `true` if the server may use HTTP/2.
    private(set) var maySpeakHTTP2 = false
    /// `true` if the current version is one for requests over TLS.
    private var offersVersions = true
    /// `true` if the current request authenticates its connection, which must not serve another.
    private(set) var authenticatesConnection = false
    /// `true` if a proxy may require whole URLs as targets.
    private var mayUseHTTPProxy = false

    /// `true` if the request uses HTTP/2 without an offer.
    var presumesHTTP2: Bool { !offersVersions }

    /// Sets the permanent options of the handle, also after every reset; returns the setting that failed.
    mutating func setPermanent(
        on easy: UnsafeMutableRawPointer,
        context: UnsafeMutableRawPointer,
        errorText: UnsafeMutablePointer<CChar>,
        settings: CurlSettings
    ) -> TransportFailure? {
        self = TransferOptions()
        httpVersions = settings.configuration.httpVersions
        mayUseHTTPProxy = settings.proxy.speaksHTTP
        moya_easy_set_long(easy, CURLOPT_NOSIGNAL, 1)
        moya_easy_allow_only_http(easy)
        moya_easy_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        moya_easy_set_long(easy, CURLOPT_PATH_AS_IS, 1)
        moya_easy_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Four times the default: a megabyte takes a quarter of the system calls, and only what arrives is touched.
        moya_easy_set_long(easy, CURLOPT_BUFFERSIZE, 64 * 1024)
        // CURLOPT_QUICK_EXIT, which older headers lack. Without it, the end of a transfer waits until the lookup of its
        // name is over, and with it the loop.
        if CurlVersion.loaded.canLeaveLookups { moya_easy_set_long(easy, CURLoption(rawValue: 322), 1) }
        // Then each new connection looks its name up, and a retry does not get the failure of before.
        if CurlVersion.loaded.remembersFailedLookups { moya_easy_set_long(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0) }
        // The transport's decoders are offered if the request has no Accept-Encoding; libcurl decodes nothing.
        moya_easy_set_string(easy, CURLOPT_ACCEPT_ENCODING, ContentDecoder.offer)
        moya_easy_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0)
        moya_easy_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        moya_easy_set_pointer(easy, CURLOPT_PRIVATE, context)
        switch httpVersions {
        case .http1Only:
            moya_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        case .http2WhereOffered, .http2PriorKnowledge:
            moya_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        }
        setCallbacks(on: easy, context: context)
        return settings.apply(to: easy)
    }

    private func setCallbacks(on easy: UnsafeMutableRawPointer, context: UnsafeMutableRawPointer) {
        moya_easy_set_pointer(easy, CURLOPT_HEADERDATA, context)
        moya_easy_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return CurlEasy.with(context) { $0.receiveHeader(line) } ? size * count : 0
        }
        moya_easy_set_pointer(easy, CURLOPT_WRITEDATA, context)
        moya_easy_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlEasy.with(context) { $0.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) }
        }
        moya_easy_set_pointer(easy, CURLOPT_READDATA, context)
        moya_easy_set_data_callback(easy, CURLOPT_READFUNCTION) { bytes, size, count, context in
            CurlEasy.from(context).sendBody(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
        }
        moya_easy_set_pointer(easy, CURLOPT_SEEKDATA, context)
        moya_easy_set_seek_callback(easy) { context, offset, origin in
            guard origin == SEEK_SET, CurlEasy.from(context).rewindBody(to: Int64(offset)) else {
                return CURL_SEEKFUNC_CANTSEEK
            }
            return CURL_SEEKFUNC_OK
        }
        moya_easy_set_pointer(easy, CURLOPT_PREREQDATA, context)
        moya_easy_set_prerequest_callback(easy) { context, peerAddress, localAddress, peerPort, localPort in
            let ends = ConnectionEnds(
                localPort: localPort, localAddress: localAddress, peerPort: peerPort, peerAddress: peerAddress)
            return CurlEasy.from(context).connectionIsReady(between: ends)
                ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
    }

    /// Sets callbacks that make sockets, which no child process inherits, and that observe their closing: sockets
    /// outlive the transfer that made them.
    func setSocketCallbacks(
        on easy: UnsafeMutableRawPointer, context: UnsafeMutableRawPointer, multi: UnsafeMutableRawPointer
    ) {
        moya_easy_set_pointer(easy, CURLOPT_RESOLVER_START_DATA, context)
        moya_easy_set_resolver_start_callback(easy) { _, _, context in
            CurlEasy.from(context).connectionBegins()
            return 0
        }
        moya_easy_set_pointer(easy, CURLOPT_OPENSOCKETDATA, context)
        moya_easy_set_socket_open_callback(easy) { context, _, address in
            CurlEasy.from(context).connectionBegins()
            let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
            let socket = Glibc.socket(address.pointee.family, type, address.pointee.`protocol`)
            CurlEasy.from(context).socketMade(socket, to: SocketEnd(address))
            return socket
        }
        moya_easy_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, multi)
        moya_easy_set_socket_close_callback(easy) { context, socket in
            CurlMulti.from(context).sockets.connectionClosed(socket)
            return close(socket)
        }
    }

    /// `true` if the handle has options that another request must not inherit.
    var needsReset: Bool { !isPlain }

    /// Sets the options of one request; returns the reason for a failure.
    ///
    /// - Parameters:
    ///   - connectNanoseconds: The limit that libcurl has for connecting; `nil` for none.
    ///   - waitsForStreams: `true` if the request waits for a connection that is being made and may have streams.
    mutating func set(
        _ request: HTTPRequest, body: BodySource, fields: inout HeaderList, connectNanoseconds: UInt64?,
        waitsForStreams: Bool, on easy: UnsafeMutableRawPointer
    ) -> TransportFailure? {
        if let problem = HTTPRequest.problem(ofMethod: request.method) { return .unsendable(problem) }
        if let problem = HTTPRequest.problem(ofURL: request.url) { return .unsendable(problem) }
        guard set(url: request.url, repeatsTarget: request.authentication?.scheme == .digest, on: easy) else {
            return .outOfResources
        }
        maySpeakHTTP2 = httpVersions.mayHaveStreams(at: request.url)
        setWaitsForStreams(maySpeakHTTP2 && waitsForStreams, on: easy)
        setVersion(request, on: easy)
        setMethod(request.method, body: body, on: easy)
        if request.expectsLargeResponse {
            isPlain = false
            moya_easy_set_long(easy, CURLOPT_BUFFERSIZE, 256 * 1024)
        }
        var sentFields = request.fields
        if let authentication = request.authentication {
            // libcurl would wait for the body of the challenge.
            if request.method == "HEAD", body.length != 0 {
                return .unsendable("A HEAD request with a body cannot be authenticated by \(authentication.scheme).")
            }
            if let failure = set(authentication, on: easy) { return failure }
            // libcurl writes the answer to the challenge, and only one such field may be sent.
            sentFields.removeAll { ASCII.equalIgnoringCase($0.name, "authorization") }
        }
        // Otherwise libcurl would wait a second for a 100 that few servers send.
        let hasBody = if case .none = body { false } else { true }
        if let name = fields.take(sentFields, suppressesExpect: !isPlain, hasBody: hasBody) {
            return .malformedField(name)
        }
        moya_easy_set_pointer(easy, CURLOPT_HTTPHEADER, fields.linked)
        setConnectTimeout(connectNanoseconds ?? .max, on: easy)
        return limitHead(of: request, fields, on: easy)
    }

    /// Makes a request whose head no stream carries use HTTP/1.1; returns the failure of a head that libcurl cannot send.
    ///
    /// libcurl would report the one as a lost connection, after several attempts, and the other as exhausted memory.
    private mutating func limitHead(
        of request: HTTPRequest, _ fields: borrowing HeaderList, on easy: UnsafeMutableRawPointer
    ) -> TransportFailure? {
        let byteCount = request.method.utf8.count + request.url.utf8.count + fields.byteCount
        // nghttp2 counts up to 12 bytes more for each field.
        let isTooLongForStream = byteCount + 12 * fields.sentCount > Self.mostHeadBytesOfStream
        guard isTooLongForStream else { return nil }
        if !presumesHTTP2, byteCount <= Self.mostHeadBytes {
            if maySpeakHTTP2 { avoidStreams(on: easy) }
            return nil
        }
        let most = presumesHTTP2 ? "\(Self.mostHeadBytesOfStream) over HTTP/2" : "\(Self.mostHeadBytes)"
        return .unsendable(
            "The URL and the header fields have \(byteCount) bytes, and libcurl sends at most \(most). "
                + "Put large parameters into the body.")
    }

    /// The limit of libcurl is 1 MiB for the whole head.
    private static let mostHeadBytes = 1_000_000
    /// The limit of nghttp2 is 64 KiB for the whole head.
    private static let mostHeadBytesOfStream = 64_000

    private mutating func set(url: String, repeatsTarget: Bool, on easy: UnsafeMutableRawPointer) -> Bool {
        // The answer to a Digest challenge repeats libcurl's own target.
        if !repeatsTarget, !mayUseHTTPProxy || ASCII.hasPrefix(url, "https:"),
            let target = Self.targetToName(of: url, for: .loaded)
        {
            isPlain = false
            guard moya_easy_set_string(easy, CURLOPT_REQUEST_TARGET, target) == CURLE_OK else { return false }
        }
        guard url != self.url else { return true }
        // A `String` argument would be copied to an array first.
        guard url.withCString({ moya_easy_set_string(easy, CURLOPT_URL, $0) }) == CURLE_OK else { return false }
        self.url = url
        return true
    }

    /// The request target of a URL; `nil` if the version of libcurl sends it by itself.
    static func targetToName(of url: String, for version: CurlVersion) -> String? {
        guard !version.sendsEmptyQueries else { return nil }
        let text = url.utf8.prefix { $0 != UInt8(ascii: "#") }
        let isQueryEmpty =
            text.last == UInt8(ascii: "?")
            && text.firstIndex(of: UInt8(ascii: "?")) == text.index(before: text.endIndex)
        guard isQueryEmpty || (version.rewritesEscapes && hasEscapeInLowerCase(text)),
            let scheme = text.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let afterScheme = text[text.index(after: scheme)...].drop { $0 == UInt8(ascii: "/") }
        guard let target = afterScheme.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else {
            return nil
        }
        return (text[target] == UInt8(ascii: "?") ? "/" : "") + String(decoding: text[target...], as: UTF8.self)
    }

    private static func hasEscapeInLowerCase(_ text: Substring.UTF8View) -> Bool {
        var rest = text
        while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
            rest = rest[rest.index(after: percent)...]
            if rest.prefix(2).contains(where: { (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0) }) { return true }
        }
        return false
    }

    /// Makes a request wait for a connection that is being made and may have streams: many streams on one connection
    /// are better than a connection for each of many concurrent requests.
    ///
    /// Without TLS, and without knowing that the server supports streams, libcurl would learn of their absence only
    /// from the first response, and delay the rest until then.
    private mutating func setWaitsForStreams(_ waits: Bool, on easy: UnsafeMutableRawPointer) {
        guard waits != waitsForStreams else { return }
        waitsForStreams = waits
        moya_easy_set_long(easy, CURLOPT_PIPEWAIT, waits ? 1 : 0)
    }

    /// Makes a request without TLS use HTTP/2 from its first byte, if the server is known to support it.
    ///
    /// Over TLS, libcurl would also do so if the server has not chosen a version.
    private mutating func setVersion(_ request: HTTPRequest, on easy: UnsafeMutableRawPointer) {
        guard httpVersions == .http2PriorKnowledge else { return }
        let isOverTLS = ASCII.hasPrefix(request.url, "https:")
        guard isOverTLS != offersVersions else { return }
        offersVersions = isOverTLS
        let version = isOverTLS ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
        moya_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(version))
    }

    /// Makes the request use HTTP/1.1, whatever the session allows.
    mutating func avoidStreams(on easy: UnsafeMutableRawPointer) {
        isPlain = false
        maySpeakHTTP2 = false
        setWaitsForStreams(false, on: easy)
        moya_easy_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    }

    private mutating func setMethod(_ method: String, body: BodySource, on easy: UnsafeMutableRawPointer) {
        switch (method, body) {
        case ("GET", .none):
            return
        case ("HEAD", _) where body.length == 0:
            moya_easy_set_long(easy, CURLOPT_NOBODY, 1)
        // RFC 9110 section 8.6: three methods without a body state an empty content.
        case ("POST", .none), ("PUT", .none), ("PATCH", .none), (_, .data), (_, .file), (_, .reader):
            moya_easy_set_long(easy, CURLOPT_UPLOAD, 1)
            moya_easy_set_offset(easy, CURLOPT_INFILESIZE_LARGE, curl_off_t(body.length ?? -1))
            moya_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, method)
            if (body.length ?? .max) > 1 << 20 { moya_easy_set_long(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256 * 1024) }
        case (_, .none):
            moya_easy_set_string(easy, CURLOPT_CUSTOMREQUEST, method)
        }
        isPlain = false
    }

    /// Makes libcurl answer the challenge of a scheme; returns the reason for a failure.
    private mutating func set(
        _ authentication: TransportAuthentication, on easy: UnsafeMutableRawPointer
    ) -> TransportFailure? {
        isPlain = false
        holdsCredential = true
        authenticatesConnection = authentication.scheme != .digest
        if let problem = authentication.problem ?? authentication.problem(with: .loaded) { return .unsendable(problem) }
        guard authentication.scheme.isSupported(by: CurlLibrary.loaded.has), authentication.use(on: easy) else {
            return .missing("authentication: \(authentication.scheme.rawValue)")
        }
        moya_easy_set_data_callback(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return CurlEasy.from(context).receiveHeaderOfChallenge(line) ? size * count : 0
        }
        moya_easy_set_data_callback(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
            CurlEasy.from(context).receiveBodyAfterChallenge(
                UnsafeRawBufferPointer(start: bytes, count: size * count))
        }
        return nil
    }

    private mutating func setConnectTimeout(_ nanoseconds: UInt64, on easy: UnsafeMutableRawPointer) {
        let connect = Self.milliseconds(nanoseconds)
        if connect != connectMilliseconds {
            connectMilliseconds = connect
            moya_easy_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, connect)
        }
    }

    /// A limit in whole milliseconds, rounded up; without a limit, the longest.
    ///
    /// libcurl reads 0 as its default of five minutes, and accepts less than 2^31 milliseconds, about 24 days.
    static func milliseconds(_ nanoseconds: UInt64) -> Int {
        let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return Int(Int32(clamping: max(1, rest == 0 ? whole : whole + 1)))
    }
}
#endif

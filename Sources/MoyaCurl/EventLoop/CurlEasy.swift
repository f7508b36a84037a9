#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// An easy handle and its state, reused for successive exchanges; protected by the loop lock.
final class CurlEasy: Indexed {
    let easy: UnsafeMutableRawPointer
    unowned(unsafe) let multi: CurlMulti
    private let errorText: UnsafeMutablePointer<CChar>

    /// The transfer's index among the active ones.
    @exclusivity(unchecked) var index: Int?

    @exclusivity(unchecked) var exchange: CurlExchange?
    @exclusivity(unchecked) var options = TransferOptions()
    @exclusivity(unchecked) var head = ResponseHeadReader()
    @exclusivity(unchecked) var body = BodySource.none
    @exclusivity(unchecked) var fields = HeaderList()

    /// A 401 that libcurl may still answer, or the success of a request that it sent without the body.
    @exclusivity(unchecked) var heldHead: TransportResponseHead?
    /// `true` if libcurl has received a challenge for this request.
    var hasChallenge = false
    /// The number of heads before the request was last sent.
    var headsBeforeSending: Int32 = 0

    /// `true` if the current head has a challenge that must not be sent back.
    var isChallengeMalformed = false

    /// The status of the response whose head was delivered to the sink; 0 before that.
    var deliveredStatus = 0

    /// The reason that this transport ended the transfer, since libcurl only knows that a callback stopped it.
    @exclusivity(unchecked) var ownFailure: TransportFailure?

    /// The reason that a setting of the session cannot be honoured.
    private var settingFailure: TransportFailure?

    /// The socket that libcurl watches for the transfer.
    var socket: Int32?
    /// The connection on which the request was last sent.
    var connection: ConnectionID?
    /// The path of the Unix domain socket that leads to the server.
    private var unixSocketPath: String?
    /// The `errno` of a socket that could not be made.
    var socketError: Int32?

    var isConnected = false
    @exclusivity(unchecked) var resendPolicy = ResendPolicy()
    /// `true` if the connection that libcurl had chosen was unsuitable for the request, which was not sent.
    var wasUnfit = false
    /// `true` if the server requires the request without its Expect.
    var isExpectationRefused = false
    /// The number of unsuitable connections.
    private var unfitCount = 0
    /// The most of them: each restart makes a new connection, so that even a second one is unlikely.
    private static let mostUnfit = 8
    /// `true` if libcurl closes the connection after this attempt.
    var forbidsReuse = false
    /// `true` if the request is sent over HTTP/1.1 because the response over HTTP/2 was lost.
    var avoidsStreams = false
    /// `true` if the connection carries streams; libcurl 7.88 reads the version from the status line, which a server
    /// may choose.
    var isOnStream = false
    private var isFresh = false
    /// The end of the TLS connection, until the transfer ends.
    var connectionEnd: OpaquePointer?
    /// The HTTP/2 streams of the handle.
    let stream: OpaquePointer
    /// The failure of a body that libcurl has taken for a whole one.
    var brokenOff: TransportFailure?
    @exclusivity(unchecked) var decoder: ContentDecoder?
    /// The number of encoded bytes already consumed of those that libcurl will offer again.
    var takenBytes = 0
    /// The reason that no more bytes are delivered; `nil` while they are.
    var pause: Pause?
    /// Bytes that libcurl had kept for a reader that waits again, and the end that followed them.
    @exclusivity(unchecked) var kept = KeptBytes()
    var keptEnd: CURLcode?
    /// `true` if nothing follows the head, although libcurl waits for it.
    var endsAtHead = false
    var isBodySentReported = false
    /// `true` if libcurl has read all of the body.
    var isBodyRead = false
    /// `true` if libcurl does not watch the connection for input.
    var isNotReading = false
    /// `true` if libcurl, when it last watched the connection, did so only to send.
    var isOnlySending = false
    /// The number of encoded response bytes so far.
    var receivedBytes: Int64 = 0
    var sentBytes: Int64 = 0
    var lastActivity: UInt64 = 0
    /// The state of the connection when a part of a long body was read.
    var slowUpload: SlowUpload?
    private(set) var idleNanoseconds: UInt64?
    var totalDeadline = UInt64.max
    /// The limit of connecting that the transfer checks itself; `nil` if libcurl does.
    var connectNanoseconds: UInt64?
    var connectDeadline = UInt64.max
    /// The time at which a transfer that connects runs again.
    var addressCheck = UInt64.max
    /// The seconds for which the exchange waited in its queue, before libcurl received it.
    private var secondsInQueue = 0.0

    init?(multi: CurlMulti) {
        guard let easy = curl_easy_init() else { return nil }
        guard let stream = moya_stream_new(easy, { CurlEasy.of($0)?.endIfAnswered() }) else {
            curl_easy_cleanup(easy)
            return nil
        }
        self.easy = easy
        self.stream = stream
        self.multi = multi
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText[0] = 0
        setPermanentOptions()
    }

    deinit {
        moya_stream_free(stream)
        curl_easy_cleanup(easy)
        errorText.deallocate()
    }

    /// The transfer that a handle belongs to.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlEasy? {
        var context: UnsafeMutableRawPointer?
        moya_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return context.map { from($0) }
    }

    static func from(_ context: UnsafeMutableRawPointer) -> CurlEasy {
        Unmanaged<CurlEasy>.fromOpaque(context).takeUnretainedValue()
    }

    /// Calls a transfer from one of libcurl's frequent callbacks without retaining it: it lives as long as its handle.
    static func with<Result>(_ context: UnsafeMutableRawPointer, _ body: (CurlEasy) -> Result) -> Result {
        Unmanaged<CurlEasy>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
    }

    private func setPermanentOptions() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let failure = options.setPermanent(
            on: easy, context: context, errorText: errorText, settings: multi.settings)
        options.setSocketCallbacks(
            on: easy, context: context, multi: Unmanaged.passUnretained(multi).toOpaque())
        isFresh = false
        settingFailure = multi.settings.failure ?? failure
        settingFailure =
            settingFailure
            ?? Handshake.prepare(
                easy, transfer: context, hasPolicy: multi.settings.configuration.trustPolicy != nil)
    }

    /// The session's policy; used only if there is one.
    var trustPolicy: any TransportTrustPolicy { multi.settings.configuration.trustPolicy ?? RefusesEveryServer() }

    /// The host of the exchange.
    var host: String { exchange.flatMap { HTTPOrigin(requested: $0.request.url)?.host } ?? "" }

    // MARK: Starting

    /// Configures the handle for an exchange; returns the reason for a failure.
    func start(_ exchange: CurlExchange) -> TransportFailure? {
        let request = exchange.request
        reset(for: exchange)
        if options.needsReset { resetOptions() }
        if let settingFailure { return settingFailure }
        if let failure = multi.settings.offerIdentity(to: request.url, on: easy) { return failure }
        unixSocketPath = multi.settings.endpoints.choose(for: request.url, on: easy)
        setFresh(
            multi.settings.httpVersions.needsOwnConnection(for: request.url)
                || unixSocketPath != nil && !multi.settings.endpoints.sharesUnixSockets)
        switch BodySource.opening(request.body) {
        case .success(let source): body = source
        case .failure(let failure): return failure
        }
        // The time for which the exchange waited for another to connect counts too.
        let now = multi.eventLoop.now
        let connect = exchange.connectDeadline.map { $0 - min($0, now) } ?? exchange.connectNanoseconds
        // Only libcurl divides its limit among a server's addresses.
        connectNanoseconds = multi.mayHoldBack(exchange) ? connect : nil
        // The transfer itself checks the other limits: each would cost a timer in libcurl for every request, and
        // libcurl has no idle limit.
        return options.set(
            request, body: body, fields: &fields, connectNanoseconds: connectNanoseconds == nil ? connect : nil,
            waitsForStreams: !multi.isolatesTransfers && exchange.queue?.waitsForStreams == true, on: easy)
    }

    /// Resets the state that belongs to one exchange.
    private func reset(for exchange: CurlExchange) {
        self.exchange = exchange
        exchange.transfer = self
        resetAttempt(of: exchange)
        isConnected = false
        socket = nil
        connection = nil
        socketError = nil
        resendPolicy = ResendPolicy()
        unfitCount = 0
        pause = exchange.isPausedInQueue ? .reader : nil
        endsAtHead = false
        deliveredStatus = 0
        avoidsStreams = false
        isNotReading = false
        isOnlySending = false
        receivedBytes = 0
        ownFailure = nil
        idleNanoseconds = UInt64.nanoseconds(ofLimit: exchange.request.timeouts.idle)
        totalDeadline = exchange.totalDeadline
    }

    /// Resets the state that belongs to one attempt to send the request.
    private func resetAttempt(of exchange: CurlExchange) {
        isOnStream = false
        moya_stream_reset(stream)
        if forbidsReuse { moya_easy_set_long(easy, CURLOPT_FORBID_REUSE, options.authenticatesConnection ? 1 : 0) }
        forbidsReuse = false
        wasUnfit = false
        isExpectationRefused = false
        errorText[0] = 0
        sentBytes = 0
        slowUpload = nil
        brokenOff = nil
        isBodyRead = false
        isBodySentReported = false
        connectDeadline = .max
        addressCheck = .max
        head.reset()
        headsBeforeSending = 0
        hasChallenge = false
        isChallengeMalformed = false
        secondsInQueue = Double(multi.eventLoop.now - exchange.arrival) / 1e9
    }

    private func resetOptions() {
        curl_easy_reset(easy)
        setPermanentOptions()
    }

    /// Makes the transfer open a new connection.
    private func setFresh(_ isFresh: Bool) {
        guard isFresh != self.isFresh else { return }
        self.isFresh = isFresh
        moya_easy_set_long(easy, CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
    }

    // MARK: Ending

    /// Ends the transfer with libcurl's result, or starts it again.
    func end(_ code: CURLcode) {
        releaseConnectionEnd(after: code)
        guard kept.isEmpty || ownFailure != nil else {
            // The connection is idle from here on, and bytes on it end it.
            leaveConnection(isWhole: code == CURLE_OK)
            return keptEnd = code
        }
        if endsAtHead, ownFailure == nil { return end(with: nil) }
        // Before 8.2, the reset of a stream that has ended is an error of libcurl too.
        var code =
            code != CURLE_OK && (code == CURLE_SEND_ERROR && isAnswered || isStreamWhole && !lacksTrailers)
            ? CURLE_OK : code
        if code == CURLE_OK, ownFailure == nil, hasLostResponse(code) { code = CURLE_HTTP2_STREAM }
        discountRefusal(code)
        if code != CURLE_OK, ownFailure == nil, restart(after: code) { return }
        // A refused request was not processed: the error is that of the connection that was to be made for it.
        if moya_stream_is_refused(stream), TransportFailure.isOfConnecting(code) { isConnected = false }
        if ownFailure == nil, endedWithinHead(code) { ownFailure = .truncatedHead }
        if ownFailure == nil, code == CURLE_OK { ownFailure = brokenOff }
        if ownFailure == nil, code == CURLE_OK, deliveredStatus == 0, heldHead == nil { ownFailure = .noHead }
        guard code != CURLE_OK || ownFailure != nil else { return end(with: unfinishedCoding) }
        end(with: ownFailure ?? failure(code))
    }

    private func failure(_ code: CURLcode) -> TransportFailure {
        let text = String(cString: errorText)
        if hasLostResponse(code) { return .lostResponse }
        if isRefusalOfLength(code) { return .noLength }
        if isConnected, head.isWithinHead, code.rawValue == CurlVersion.loaded.codeOfLongLine { return .oversizedHead }
        if code == CURLE_SEND_FAIL_REWIND, exchange?.request.authentication == nil { return .bodyNotSentAgain }
        guard !isConnected else {
            var failure = TransportFailure.of(code, text: text, isConnected: true, hasHeard: resendPolicy.hasHeard)
            if options.presumesHTTP2, !resendPolicy.hasHeard {
                failure.message +=
                    ". With httpVersions: .http2PriorKnowledge a server without TLS has to speak HTTP/2: does this one?"
            }
            return failure
        }
        if code == CURLE_COULDNT_CONNECT, let socketError { return .noSocket(socketError) }
        if code == CURLE_COULDNT_CONNECT, let unixSocketPath {
            return UnixSocketPath.failure(at: unixSocketPath, code: Int(code.rawValue))
        }
        return .connecting(
            code, text: text, on: easy, through: multi.settings.proxy,
            from: multi.settings.endpoints.localName, minimum: multi.settings.configuration.minimumTLSVersion)
    }

    /// Passes the request to libcurl again, if it was not sent or may be sent again, and its body is still available.
    func restart(after code: CURLcode) -> Bool {
        guard let exchange else { return false }
        if wasUnfit { unfitCount += 1 }
        guard unfitCount <= Self.mostUnfit else {
            ownFailure = .noFitConnection
            return false
        }
        let isLost = !wasUnfit && mayAvoidStreams(for: exchange.request, after: code)
        guard
            wasUnfit || isExpectationRefused || isLost
                || moya_stream_is_refused(stream) && resendPolicy.mayRestartRefused(exchange.request, after: code)
                || resendPolicy.mayRestart(
                    exchange.request, after: code, wasReused: TransportMetrics.isReused(easy)),
            body.seek(to: 0)
        else { return false }
        if isExpectationRefused { dropExpectation() }
        if isLost { options.avoidStreams(on: easy) }
        if !resendPolicy.isSent { isConnected = false }
        resetAttempt(of: exchange)
        setFresh(true)
        recordActivity()
        return multi.restart(self)
    }

    /// `true` if libcurl has no message for its last error.
    var hasNoErrorText: Bool { errorText[0] == 0 }

    /// `true` if the connection ended within the header section.
    private func endedWithinHead(_ code: CURLcode) -> Bool {
        (code == CURLE_OK || code == CURLE_GOT_NOTHING) && head.isWithinHead
    }

    /// Ends the transfer and notifies the sink; the handle is free afterwards.
    func end(with failure: TransportFailure?) {
        guard let exchange else { return }
        if failure == nil {
            reportSentBytes(of: exchange, all: true)
            deliverHeldHead()
        }
        var metrics = exchange.request.collectsMetrics ? TransportMetrics(of: easy, begunAfter: secondsInQueue) : nil
        if let unixSocketPath {
            metrics?.remoteAddress = unixSocketPath
            metrics?.remotePort = 0
        }
        let end = TransportEnd(failure: failure, metrics: metrics, trailers: head.trailers)
        // The unread bytes of a stream would stay on the connection, and the server would wait until they are read.
        let isClogged = failure != nil && isConnected && (isPaused || multi.isolatesTransfers)
        if isClogged { moya_easy_set_long(easy, CURLOPT_FORBID_REUSE, 1) }
        multi.remove(self, isWhole: failure == nil || keptEnd != nil)
        if isClogged { moya_easy_set_long(easy, CURLOPT_FORBID_REUSE, 0) }
        // libcurl 7.88 would deliver the bytes that it holds for this transfer to the next one of the handle.
        let mayHoldBytes = failure != nil && isPaused
        release()
        if !mayHoldBytes { multi.recycle(self) }
        multi.end(exchange, end)
    }

    /// The reason that a body that libcurl accepts as complete is not.
    ///
    /// A part of an encoded body (RFC 9110 section 14) need not reach the end of its coding.
    private var unfinishedCoding: TransportFailure? {
        guard let decoder, !decoder.isComplete || isEndedBeforeBody, head.status != 206 else { return nil }
        return .cutShort(decoder.codings)
    }

    /// Releases the exchange, whose handle may outlive it and must not affect the next one.
    func release() {
        exchange?.transfer = nil
        exchange = nil
        decoder = nil
        releaseConnectionEnd()
        takenBytes = 0
        kept = KeptBytes()
        keptEnd = nil
        body.close()
        body = .none
        // No password remains here for the next exchange.
        if options.holdsCredential {
            heldHead = nil
            resetOptions()
        }
    }
}

/// The policy used if the session's is missing: it trusts no server.
private struct RefusesEveryServer: TransportTrustPolicy {
    func evaluate(_ server: PresentedServerTrust) throws { throw TransportFailure.cancelled }
}
#endif

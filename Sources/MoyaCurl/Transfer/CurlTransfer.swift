#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// An easy handle and what belongs to it, used for one exchange after another; belongs to whoever has the loop's turn.
final class CurlTransfer: Placed {
    let easy: UnsafeMutableRawPointer
    private unowned(unsafe) let connections: CurlConnections
    private let errorText: UnsafeMutablePointer<CChar>

    /// The transfer's place among those under way.
    var place: Int?

    var exchange: CurlExchange?
    var options = TransferOptions()
    var head = ResponseHeadReader()
    var body = BodySource.none
    private var fields = FieldList()

    /// A 401 that libcurl may yet answer.
    private var heldHead: TransportResponseHead?

    /// Why the wire itself ended the transfer, where libcurl only knows that it was told to stop.
    var ownFailure: TransportFailure?

    /// Why a setting of the session cannot be honoured.
    private var settingFailure: TransportFailure?

    private var isConnected = false
    private var sendingAgain = SendingAgain()
    private var isPaused = false
    /// Whether nothing follows the head, though libcurl waits for it.
    private var endsAtHead = false
    private var isBodySentReported = false
    private var sentBytes: Int64 = 0
    private var lastActivity: UInt64 = 0
    private var idleNanoseconds: UInt64?
    private var totalDeadline = UInt64.max
    /// How long the exchange waited before libcurl had it.
    private var secondsInLine = 0.0

    init?(connections: CurlConnections) {
        guard let easy = curl_easy_init() else { return nil }
        self.easy = easy
        self.connections = connections
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText[0] = 0
        setPermanentOptions()
    }

    deinit {
        curl_easy_cleanup(easy)
        errorText.deallocate()
    }

    /// The transfer that a handle belongs to.
    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer? {
        var context: UnsafeMutableRawPointer?
        moya_easy_get_pointer(easy, CURLINFO_PRIVATE, &context)
        return context.map { from($0) }
    }

    static func from(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
        Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    private func setPermanentOptions() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let failure = options.setPermanent(
            on: easy, context: context, errorText: errorText, settings: connections.settings)
        options.setSocketCallbacks(on: easy, connections: Unmanaged.passUnretained(connections).toOpaque())
        settingFailure = connections.settings.failure ?? failure
        if connections.settings.configuration.trustPolicy == nil {
            moya_easy_set_platform_trust(easy)
        } else if settingFailure == nil {
            settingFailure = Handshake.require(on: easy, transfer: context)
        }
    }

    /// The policy of the session; asked for only where there is one.
    var trustPolicy: any TransportTrustPolicy { connections.settings.configuration.trustPolicy ?? RefusesEveryServer() }

    /// The host that the exchange is with.
    var host: String { exchange.map { Handshake.host(in: $0.request.url) } ?? "" }

    // MARK: Beginning

    /// Sets the handle up for an exchange; returns why it cannot be.
    func begin(_ exchange: CurlExchange) -> TransportFailure? {
        let request = exchange.request
        self.exchange = exchange
        exchange.transfer = self
        isConnected = false
        sendingAgain = SendingAgain()
        isPaused = exchange.isPausedInLine
        endsAtHead = false
        isBodySentReported = false
        sentBytes = 0
        ownFailure = nil
        errorText[0] = 0
        head.reset()
        idleNanoseconds = MonotonicTime.nanoseconds(request.timeouts.idle)
        totalDeadline = exchange.totalDeadline
        secondsInLine = Double(connections.driver.now - exchange.arrival) / 1e9
        if options.needsReset(before: request) { resetOptions() }
        if let settingFailure { return settingFailure }
        switch BodySource.opening(request.body) {
        case .success(let source): body = source
        case .failure(let failure): return failure
        }
        return options.set(request, body: body, fields: &fields, on: easy)
    }

    private func resetOptions() {
        curl_easy_reset(easy)
        setPermanentOptions()
    }

    // MARK: Pausing

    func pause() { isPaused = true }

    func resume() {
        guard isPaused else { return }
        isPaused = false
        noteActivity()
        curl_easy_pause(easy, CURLPAUSE_CONT)
        connections.driver.touch(connections)
    }

    /// Goes on sending, once the body has something to send again.
    func resumeSending() {
        // Receiving may be paused for a reason of its own.
        curl_easy_pause(easy, isPaused ? CURLPAUSE_RECV : CURLPAUSE_CONT)
        connections.driver.touch(connections)
    }

    // MARK: Ending

    /// Ends the transfer as libcurl says it ended, or begins it again.
    func end(_ code: CURLcode) {
        if endsAtHead, ownFailure == nil { return end(with: nil) }
        if code != CURLE_OK, ownFailure == nil, restart(after: code) { return }
        if ownFailure == nil, endedWithinHead(code) { ownFailure = .truncatedHead }
        guard code != CURLE_OK || ownFailure != nil else { return end(with: nil) }
        end(with: ownFailure ?? failure(code))
    }

    private func failure(_ code: CURLcode) -> TransportFailure {
        let text = words
        guard !isConnected || sendingAgain.wasOnlyRefused(words: text, hasStreams: hasStreams) else {
            return .of(code, text: text, isConnected: true, hasHeard: sendingAgain.hasHeard)
        }
        return .connecting(code, text: text, on: easy, through: connections.settings.proxy)
    }

    /// What libcurl has said of the exchange: the first of it, if there was more.
    private var words: String { String(cString: errorText) }

    /// Hands the request to libcurl once more, where it may be sent again and its body is still there.
    private func restart(after code: CURLcode) -> Bool {
        guard let exchange,
            sendingAgain.noteGivenUp(
                exchange.request, after: code, words: words, wasReused: TransportMetrics.isReused(easy),
                hasStreams: hasStreams),
            body.seek(to: 0)
        else { return false }
        sentBytes = 0
        head.reset()
        secondsInLine = Double(connections.driver.now - exchange.arrival) / 1e9
        noteActivity()
        return connections.restart(self)
    }

    /// Whether the connection ended among the lines of the header section.
    private func endedWithinHead(_ code: CURLcode) -> Bool {
        (code == CURLE_OK || code == CURLE_GOT_NOTHING) && head.isWithinHead
    }

    /// Ends the transfer and tells the sink; the handle is free afterwards.
    func end(with failure: TransportFailure?) {
        guard let exchange else { return }
        if failure == nil {
            reportSentBytes(of: exchange, all: true)
            deliverHeldHead()
        }
        let metrics = exchange.request.collectsMetrics ? TransportMetrics(of: easy, begunAfter: secondsInLine) : nil
        connections.remove(self)
        letGo()
        connections.recycle(self)
        connections.end(exchange, failure, metrics: metrics)
    }

    /// Parts with the exchange, whose handle may outlive it and must not reach the next one.
    func letGo() {
        exchange?.transfer = nil
        exchange = nil
        body.close()
        body = .none
        // No password waits here for the next exchange.
        if options.holdsCredential {
            heldHead = nil
            resetOptions()
        }
    }

    // MARK: Bounds on time

    /// When the first bound of the exchange runs out, if nothing happens until then.
    var deadline: UInt64 { min(totalDeadline, silenceDeadline) }

    /// When the exchange has been silent for too long; never while it waits for a connection or for its own reader.
    private var silenceDeadline: UInt64 {
        guard let idleNanoseconds, isConnected, !isPaused else { return .max }
        return lastActivity &+ idleNanoseconds
    }

    /// Ends the exchange, of which a bound has run out.
    func endOverdue(now: UInt64) {
        let timeouts = exchange?.request.timeouts
        end(
            with: totalDeadline <= now ? .totalTimeout(seconds: timeouts?.total) : .idleTimeout(seconds: timeouts?.idle)
        )
    }

    private func noteActivity() {
        lastActivity = connections.driver.now
        if idleNanoseconds != nil { connections.watch(deadline: silenceDeadline) }
    }

    // MARK: What libcurl calls

    /// Whether a connection may speak HTTP/2: one that is used again has answered before, and was heard speaking.
    private func hasStreams(_ localPort: Int32) -> Bool {
        options.maySpeakHTTP2 && !connections.spokeHTTP1(on: localPort)
    }

    /// Takes that the request can be sent; `false` to end the transfer with ``ownFailure``.
    func connectionIsReady(localPort: Int32) -> Bool {
        isConnected = true
        noteActivity()
        guard let exchange,
            !sendingAgain.maySend(exchange.request, fromPort: localPort, words: words, hasStreams: hasStreams)
        else { return true }
        ownFailure = .notSentAgain(exchange.request.method)
        return false
    }

    /// Takes a header line; `false` to end the transfer with ``ownFailure``.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = connections.driver.now
        sendingAgain.hasHeard = true
        guard let exchange, let complete = head.take(line) else { return true }
        return receive(complete, of: exchange)
    }

    private func receive(_ complete: TransportResponseHead, of exchange: CurlExchange) -> Bool {
        guard !head.hasMalformedLength else {
            ownFailure = .malformedLength
            return false
        }
        reportSentBytes(of: exchange, all: false)
        exchange.line?.lastAnswer = connections.driver.now
        if options.maySpeakHTTP2 { noteVersion(complete.version, of: exchange) }
        let isInterim = complete.status < 200 && complete.status != 101
        let event: TransportEvent = isInterim ? .informational(complete) : .head(complete)
        if exchange.deliver(event) == .wait { isPaused = true }
        // libcurl sends no body with a HEAD of its own, and takes one spelled out for a request with a response body.
        endsAtHead = !isInterim && exchange.request.method == "HEAD" && body.length != 0
        return !endsAtHead
    }

    private func noteVersion(_ version: String, of exchange: CurlExchange) {
        let hasStreams = version == "HTTP/2"
        connections.note(hasStreams: hasStreams, on: sendingAgain.port)
        connections.learn(hasStreams: hasStreams, at: exchange.line)
    }

    /// Returns how many bytes were taken, or what tells libcurl to pause and offer them again.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard !isPaused else { return Int(CURL_WRITEFUNC_PAUSE) }
        lastActivity = connections.driver.now
        guard let exchange else { return bytes.count }
        if exchange.deliver(.chunk(bytes)) == .wait { isPaused = true }
        return bytes.count
    }

    /// Takes a header line where libcurl may answer a 401, and then holds that back until it is known to be final.
    func receiveHeaderOfChallenge(_ line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = connections.driver.now
        sendingAgain.hasHeard = true
        guard let exchange, let complete = head.take(line) else {
            if head.isWithinHead { heldHead = nil }
            return true
        }
        guard complete.status == 401, !head.hasMalformedLength else { return receive(complete, of: exchange) }
        head.expectAnother()
        heldHead = complete
        return true
    }

    /// Takes body bytes where libcurl may answer a 401: it shows those of the final response alone.
    func receiveBodyAfterChallenge(_ bytes: UnsafeRawBufferPointer) -> Int {
        if !isPaused { deliverHeldHead() }
        return receiveBody(bytes)
    }

    private func deliverHeldHead() {
        guard let held = heldHead, let exchange else { return }
        heldHead = nil
        _ = receive(held, of: exchange)
    }

    /// Fills the buffer with the next bytes of the body and returns how many, or what tells libcurl to stop.
    func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        lastActivity = connections.driver.now
        guard let exchange else { return Int(CURL_READFUNC_ABORT) }
        // What was read before has left by the time that more is asked for.
        reportSentBytes(of: exchange, all: false)
        switch body.read(into: buffer, whenReadable: { exchange.bodyIsReadable() }) {
        case .success(nil):
            return Int(CURL_READFUNC_PAUSE)
        case .success(let count?):
            sentBytes += Int64(count)
            // libcurl asks for nothing beyond a length that it knows.
            if count == 0 || sentBytes == body.length { reportSentBytes(of: exchange, all: true) }
            return count
        case .failure(let failure):
            ownFailure = failure
            return Int(CURL_READFUNC_ABORT)
        }
    }

    func rewindBody(to offset: Int64) -> Bool {
        sentBytes = offset
        return body.seek(to: offset)
    }

    private func reportSentBytes(of exchange: CurlExchange, all: Bool) {
        guard exchange.request.reportsSentBytes, sentBytes > 0, !isBodySentReported else { return }
        isBodySentReported = sentBytes == body.length || all
        _ = exchange.deliver(.sent(bytes: sentBytes, expected: body.length))
    }
}
/// Stands in for a policy that is not there: nothing is trusted by accident.
private struct RefusesEveryServer: TransportTrustPolicy {
    func evaluate(_ server: PresentedServerTrust) throws { throw TransportFailure.cancelled }
}
#endif

#if os(Linux)
import CMoyaCurl
import Glibc
import MoyaTransport

/// The callbacks of libcurl.
extension CurlEasy {
    /// Handles a new socket, or a negative number if none could be made.
    func socketMade(_ socket: Int32, to peer: SocketEnd?) {
        guard socket < 0 else {
            watchAddresses()
            return multi.sockets.connectionMade(socket, to: peer)
        }
        // Other errors belong to one address, after which libcurl tries the next.
        let code = errno
        if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) { socketError = code }
    }

    /// Handles that the kernel reports no events of the socket: libcurl closes it, and the transfer ends within this tick.
    func socketIsUnwatched(because code: Int32) {
        ownFailure = .unwatchedSocket(code)
        forbidReuse()
        multi.transferMayEnd(self)
    }

    /// Handles that the request can be sent; `false` to end the transfer, with ``ownFailure`` or to start it again.
    func connectionIsReady(between ends: ConnectionEnds) -> Bool {
        isConnected = true
        addressCheck = .max
        recordActivity()
        guard let exchange else { return true }
        // libcurl sends again on a stream that was refused or requires HTTP/1.1, even after half of its response
        // arrived.
        guard deliveredStatus == 0 else {
            ownFailure = .brokenOff
            return false
        }
        if moya_stream_is_refused(stream) { resendPolicy.streamWasRefused() }
        let connection = multi.sockets.connection(with: ends)
        guard !refuses(connection, isOverTLS: exchange.isOverTLS) else { return false }
        self.connection = connection
        if exchange.isOverTLS || multi.settings.proxy.mayUseTLS { holdConnectionEnd() }
        moya_stream_reset(stream)
        isOnStream = exchange.isOverTLS ? moya_easy_has_streams(easy) : options.presumesHTTP2
        if isOnStream { moya_stream_begin(stream, TransportMetrics.isReused(easy)) }
        headsBeforeSending = head.count
        multi.sockets.connectionTaken(connection, by: ObjectIdentifier(self), isAlone: needsConnectionAlone)
        if connection != .unknown { socket = connection.descriptor }
        // First: without streams, no exchange counts as waiting for this connection.
        multi.recordConnection(at: exchange.queue)
        if exchange.isOverTLS, options.maySpeakHTTP2 { multi.record(hasStreams: isOnStream, at: exchange.queue) }
        if resendPolicy.maySend(exchange.request) { return true }
        ownFailure = .notSentAgain(exchange.request.method)
        return false
    }

    /// Handles a header line; `false` to end the transfer with ``ownFailure``.
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = multi.eventLoop.now
        resendPolicy.hasHeard = true
        guard let complete = head.take(line), let exchange else {
            endIfAnswered()
            return isWithinLimits
        }
        return isWithinLimits && receive(complete, of: exchange)
    }

    private func receive(_ complete: TransportResponseHead, of exchange: CurlExchange) -> Bool {
        guard !head.hasMalformedLength, !head.hasMalformedStatus else {
            ownFailure = head.hasMalformedStatus ? .malformedStatus : .malformedLength
            return false
        }
        guard head.isOfStream ? isOnStream : !head.isOfHTTP3 else {
            ownFailure = .unagreedVersion
            return false
        }
        guard complete.status != 101 else {
            ownFailure = .unaskedUpgrade
            return false
        }
        reportSentBytes(of: exchange, all: false)
        exchange.queue?.lastAnswer = multi.eventLoop.now
        if options.maySpeakHTTP2 { recordVersion(complete.version, of: exchange) }
        if complete.status == 417, refusesExpectation() { return false }
        let isInterim = complete.status < 200
        if !isInterim {
            deliveredStatus = complete.status
            // libcurl keeps the connection, and the server would take the next request for the body.
            if !head.isOfStream, isWaitingToContinue { forbidReuse() }
        }
        let event: TransportEvent = isInterim ? .informational(complete) : .head(complete)
        if !isInterim {
            do {
                decoder = try ContentDecoder.make(for: complete)
            } catch {
                ownFailure = .undecodable(error.coding)
            }
        }
        if exchange.deliver(event) == .wait { pause = .reader }
        endIfAnswered()
        // libcurl sends no body with its own HEAD, and treats a HEAD set by name as a request with a response body.
        endsAtHead = !isInterim && exchange.request.method == "HEAD" && body.length != 0
        return !endsAtHead && ownFailure == nil
    }

    /// `true` if the header lines so far are within the limits; otherwise sets ``ownFailure``.
    private var isWithinLimits: Bool {
        if head.isTooLarge { ownFailure = .oversizedHead }
        return !head.isTooLarge
    }

    private func recordVersion(_ version: String, of exchange: CurlExchange) {
        let hasStreams = version == "HTTP/2"
        if hasStreams, let socket { multi.sockets.connectionIsMultiplexed(socket) }
        if let connection { exchange.queue?.silentConnections.remove(connection) }
        multi.record(hasStreams: hasStreams, at: exchange.queue)
    }

    /// Returns the number of consumed bytes, or the code that makes libcurl pause and offer them again.
    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        // libcurl accepts status lines that are none of HTTP; limits apply from the head on.
        guard deliveredStatus != 0 || heldHead != nil else {
            ownFailure = .noHead
            return 0
        }
        guard !isPaused else { return keep(bytes) }
        lastActivity = multi.eventLoop.now
        guard let exchange else { return bytes.count }
        if let decoder { return receiveCoded(bytes, of: exchange, decoder) }
        receivedBytes += Int64(bytes.count)
        if exchange.deliver(.chunk(bytes)) == .wait { pause = .reader }
        endIfAnswered()
        return bytes.count
    }

    /// Consumes encoded bytes as far as their reader accepts the decoded ones; the rest is kept, or offered again.
    private func receiveCoded(
        _ bytes: UnsafeRawBufferPointer, of exchange: CurlExchange, _ decoder: ContentDecoder
    ) -> Int {
        let known = min(takenBytes, bytes.count)
        takenBytes -= known
        let new = UnsafeRawBufferPointer(rebasing: bytes[known...])
        guard let taken = decode(new, by: decoder, for: exchange) else { return 0 }
        guard isPaused else {
            receivedBytes += Int64(bytes.count)
            endIfAnswered()
            return bytes.count
        }
        if kept.isFilling {
            kept.append(UnsafeRawBufferPointer(rebasing: new[taken...]), isWithinOutput: true)
            receivedBytes += Int64(bytes.count)
            return bytes.count
        }
        takenBytes += known + taken
        return Int(CURL_WRITEFUNC_PAUSE)
    }

    /// Decodes and delivers bytes until their reader waits or the decoder's step is over; returns the number of
    /// consumed bytes, or `nil` on a decoding error.
    func decode(_ bytes: UnsafeRawBufferPointer, by decoder: ContentDecoder, for exchange: CurlExchange) -> Int? {
        var rest = bytes
        decoder.beginStep()
        do {
            while !isPaused, let piece = try decoder.next(&rest) {
                if exchange.deliver(.chunk(piece)) == .wait { pause = .reader }
            }
            if decoder.isStepOver, !isPaused {
                pause = .decoder
                multi.loop.post(.decode(exchange))
            }
            return bytes.count - rest.count
        } catch {
            ownFailure = .undecodable(error.coding)
            return nil
        }
    }

    /// Handles a header line if libcurl may answer a 401, and then withholds that response until it is known to be
    /// final.
    ///
    /// Before a challenge, libcurl sends the request without its body. It sends it again after a success too, so that
    /// this is withheld like a 401.
    func receiveHeaderOfChallenge(_ line: UnsafeRawBufferPointer) -> Bool {
        lastActivity = multi.eventLoop.now
        resendPolicy.hasHeard = true
        if line.isMalformedChallenge { isChallengeMalformed = true }
        guard let exchange, let complete = head.take(line) else {
            if head.isWithinHead { heldHead = nil }
            return isWithinLimits
        }
        defer { isChallengeMalformed = false }
        guard isWithinLimits else { return false }
        let isChallenge = complete.status == 401
        let isBodyless = !hasChallenge && body.length != 0 && sentBytes == 0
        guard isChallenge || isBodyless && (200..<300).contains(complete.status),
            !head.hasMalformedLength, !head.hasMalformedStatus
        else { return receive(complete, of: exchange) }
        guard !isChallenge || !isChallengeMalformed else {
            ownFailure = .malformedChallenge
            return false
        }
        if isChallenge { hasChallenge = true }
        head.expectAnother()
        heldHead = complete
        return true
    }

    /// Handles body bytes if libcurl may answer a 401: it reports only those of the final response.
    func receiveBodyAfterChallenge(_ bytes: UnsafeRawBufferPointer) -> Int {
        if !isPaused { deliverHeldHead() }
        // The head may be refused, such as one with too many codings.
        return ownFailure == nil ? receiveBody(bytes) : 0
    }

    func deliverHeldHead() {
        guard let held = heldHead, let exchange else { return }
        heldHead = nil
        _ = receive(held, of: exchange)
    }

    /// Fills the buffer with the next bytes of the body and returns their number, or the code that makes libcurl stop.
    func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        lastActivity = multi.eventLoop.now
        guard let exchange else { return Int(CURL_READFUNC_ABORT) }
        // All previous bytes have been sent when libcurl reads more.
        reportSentBytes(of: exchange, all: false)
        switch body.read(into: buffer, whenReadable: { [weak exchange] in exchange?.bodyIsReadable() }) {
        case .success(nil):
            return Int(CURL_READFUNC_PAUSE)
        case .success(let count?):
            sentBytes += Int64(count)
            recordAcknowledgedBytes(passing: count)
            // libcurl reads nothing beyond a known length.
            isBodyRead = count == 0 || sentBytes == body.length
            if isBodyRead {
                reportSentBytes(of: exchange, all: true)
                bodyIsRead()
            }
            return count
        case .failure(let failure):
            ownFailure = failure
            return Int(CURL_READFUNC_ABORT)
        }
    }

    func rewindBody(to offset: Int64) -> Bool {
        sentBytes = offset
        isBodyRead = false
        slowUpload = nil
        return body.seek(to: offset)
    }

    func reportSentBytes(of exchange: CurlExchange, all: Bool) {
        guard exchange.request.reportsSentBytes, sentBytes > 0, !isBodySentReported else { return }
        isBodySentReported = sentBytes == body.length || all
        if exchange.deliver(.sent(bytes: sentBytes, expected: body.length)) == .wait { pause = .reader }
    }
}
#endif

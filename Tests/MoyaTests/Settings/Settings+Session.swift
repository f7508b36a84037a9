import Foundation
import Moya
import MoyaSession
import MoyaTesting

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension Setting {
    static let session: [Setting] = [
        Setting("RequestMultipartFormData.append#length (2)") { (length: UInt64) in
            for count in 1...3 {
                let form = Setting.form(of: count, claiming: length)
                _ = form.contentLength
                _ = try? form.encode()
                await upload(Setting.form(of: count, claiming: length))
            }
        },
        Setting("Session.upload#encodingMemoryThreshold (8)") { (threshold: UInt64) in
            let session = Session(transport: ScriptedTransport(.response(200)))
            let form = RequestMultipartFormData()
            form.append(Data("a".utf8), withName: "a")
            await finish(session, session.upload(multipartFormData: form, to: url, usingThreshold: threshold))
            let again = URLRequest(url: url)
            await finish(
                session,
                session.upload(
                    multipartFormData: { $0.append(Data(), withName: "b") }, with: again, usingThreshold: threshold))
            await finish(session, session.upload(multipartFormData: form, with: again, usingThreshold: threshold))
            await finish(
                session,
                session.upload(
                    multipartFormData: { $0.append(Data(), withName: "b") }, to: url, usingThreshold: threshold))
            await finish(
                session,
                session.upload(
                    multipartFormData: form, to: url, usingThreshold: threshold, shouldAutomaticallyResume: false))
            await finish(
                session,
                session.upload(
                    multipartFormData: form, with: again, usingThreshold: threshold, shouldAutomaticallyResume: false))
            await finish(
                session,
                session.upload(
                    multipartFormData: { $0.append(Data(), withName: "b") }, with: again, usingThreshold: threshold,
                    shouldAutomaticallyResume: false))
            await finish(
                session,
                session.upload(
                    multipartFormData: { $0.append(Data(), withName: "b") }, to: url, usingThreshold: threshold,
                    shouldAutomaticallyResume: false))
        },
        Setting("Session.init#maximumResponseBytes") { (bytes: Int?) in
            let session = Session(maximumResponseBytes: bytes, transport: ScriptedTransport(.response(200, body: "a")))
            await finish(session, session.request(url))
        },
        Setting("Request.maximumResponseBytes#bytes") { (bytes: Int?) in
            let session = Session(transport: ScriptedTransport(.response(200, body: "a")))
            await finish(session, session.request(url)) { $0.maximumResponseBytes(bytes) }
        },
        Setting("SessionError.responseTooLarge") { (bytes: Int) in describe(.responseTooLarge(maximumBytes: bytes)) },
        Setting("MultipartFormData.FormDataProvider.stream") { (length: UInt64) in
            var api = API()
            let part = MultipartFormData(
                provider: .stream(InputStream(data: Data("abc".utf8)), length), name: "a", fileName: "f",
                mimeType: "text/plain")
            api.task = .uploadMultipart([part])
            let provider = MoyaProvider<API>(session: Session(transport: ScriptedTransport(.response(200))))
            let target = api
            await finish { _ = try? await provider.request(target) }
        },
        Setting("SessionError.UnexpectedInputStreamLength.init#bytesExpected") { (count: UInt64) in
            _ = SessionError.UnexpectedInputStreamLength(bytesExpected: count, bytesRead: 1).localizedDescription
        },
        Setting("SessionError.UnexpectedInputStreamLength.init#bytesRead") { (count: UInt64) in
            _ = SessionError.UnexpectedInputStreamLength(bytesExpected: 1, bytesRead: count).localizedDescription
        },
        Setting("SessionError.UnexpectedInputStreamLength.bytesExpected") { (count: UInt64) in
            var error = SessionError.UnexpectedInputStreamLength(bytesExpected: 0, bytesRead: 0)
            error.bytesExpected = count
            _ = error.localizedDescription
        },
        Setting("SessionError.UnexpectedInputStreamLength.bytesRead") { (count: UInt64) in
            var error = SessionError.UnexpectedInputStreamLength(bytesExpected: 0, bytesRead: 0)
            error.bytesRead = count
            _ = error.localizedDescription
        },
        Setting("SessionError.ResponseValidationFailureReason.unacceptableStatusCode") { (code: Int) in
            describe(SessionError.responseValidationFailed(reason: .unacceptableStatusCode(code: code)))
        },
        Setting("SessionError.ServerTrustFailureReason.certificatePinningFailed") { (count: Int) in
            describe(
                SessionError.serverTrustEvaluationFailed(
                    reason: .certificatePinningFailed(host: "h", pinnedCertificates: count, serverCertificates: count)))
        },
        Setting("SessionError.ServerTrustFailureReason.publicKeyPinningFailed") { (count: Int) in
            describe(
                SessionError.serverTrustEvaluationFailed(
                    reason: .publicKeyPinningFailed(host: "h", pinnedKeys: count, serverKeys: count)))
        },
        Setting("ClosureEventMonitor.request#bytes") { (count: Int64) in
            monitor { $0.request($1, didSendBodyBytes: count, expected: 1) }
        },
        Setting("ClosureEventMonitor.request#expected") { (count: Int64?) in
            monitor { $0.request($1, didSendBodyBytes: 1, expected: count) }
        },
        Setting("ClosureEventMonitor.request#count") { (count: Int) in
            monitor { $0.request($1, didReceiveBodyBytes: count) }
        },
        Setting("EventMonitor.request#bytes (2)") { (count: Int64) in
            monitor { $0.request($1, didSendBodyBytes: count, expected: nil) }
        },
        Setting("EventMonitor.request#expected (2)") { (count: Int64?) in
            monitor { $0.request($1, didSendBodyBytes: 0, expected: count) }
        },
        Setting("EventMonitor.request#count (2)") { (count: Int) in
            monitor { $0.request($1, didReceiveBodyBytes: count) }
        },
        Setting("RequestEvent.didSendBodyBytes") { (count: Int64) in
            _ = "\(RequestEvent.didSendBodyBytes(count, expected: count))"
        },
        Setting("RequestEvent.didReceiveBodyBytes") { (count: Int) in _ = "\(RequestEvent.didReceiveBodyBytes(count))"
        },
        Setting("DownloadOptions.init#rawValue") { (bits: Int) in
            let session = Session(transport: ScriptedTransport(.response(200, body: "a")))
            let place = FileManager.default.temporaryDirectory.appendingPathComponent("moya-\(UUID().uuidString)")
            let request = session.download(url, to: { _, _ in (place, DownloadOptions(rawValue: bits)) })
            let end = Promise<Void>()
            request.response(queue: .global()) { _ in end.fulfill(()) }
            try await end.value
            withExtendedLifetime(session) {}
            try? FileManager.default.removeItem(at: place)
        },
        Setting("NetworkReachabilityManager.Flags.init#rawValue") { (bits: UInt32) in
            _ = "\(NetworkReachabilityManager.Flags(rawValue: bits))"
        },
        Setting("RevocationTrustEvaluator.Options.init#rawValue") { (bits: UInt) in
            _ = "\(RevocationTrustEvaluator(options: .init(rawValue: bits)))"
        },
        Setting("DataResponse.init#serializationDuration") { (duration: TimeInterval) in
            let response = DataResponse<Int, SessionError>(
                request: nil, response: nil, data: nil, metrics: nil, serializationDuration: duration,
                result: .success(1))
            _ = "\(response) \(String(reflecting: response))"
        },
        Setting("DownloadResponse.init#serializationDuration") { (duration: TimeInterval) in
            let response = DownloadResponse<Int, SessionError>(
                request: nil, response: nil, fileURL: nil, resumeData: nil, metrics: nil,
                serializationDuration: duration, result: .success(1))
            _ = "\(response) \(String(reflecting: response))"
        },
        Setting("URLRequest.timeoutInterval") { (seconds: TimeInterval) in
            var request = URLRequest(url: url)
            request.timeoutInterval = seconds
            let session = Session(transport: ScriptedTransport(.response(200)))
            await finish(session, session.request(request))
        },
        Setting("URLSessionConfiguration.timeoutIntervalForRequest") { (seconds: TimeInterval) in
            await configured { $0.timeoutIntervalForRequest = seconds }
        },
        Setting("URLSessionConfiguration.timeoutIntervalForResource") { (seconds: TimeInterval) in
            await configured { $0.timeoutIntervalForResource = seconds }
        },
        Setting("URLSessionConfiguration.httpMaximumConnectionsPerHost") { (count: Int) in
            await configured { $0.httpMaximumConnectionsPerHost = count }
        },
    ]

    private static let url = API().baseURL

    private static func form(of count: Int, claiming length: UInt64) -> RequestMultipartFormData {
        let form = RequestMultipartFormData()
        for _ in 0..<count {
            let stream = InputStream(data: Data("abc".utf8))
            form.append(stream, withLength: length, name: "a", fileName: "b", mimeType: "text/plain")
            form.append(InputStream(data: Data("abc".utf8)), withLength: length, headers: [.accept("*/*")])
        }
        return form
    }

    private static func upload(_ form: RequestMultipartFormData) async {
        let session = Session(transport: ScriptedTransport(.response(200)))
        await finish(session, session.upload(multipartFormData: form, to: url))
    }

    private static func describe(_ error: SessionError) {
        _ =
            error.localizedDescription + "\((error as NSError).userInfo)"
            + "\(MoyaError.underlying(error, nil).errorCode)"
    }

    private static func monitor(_ use: (any EventMonitor, Request) -> Void) {
        let monitor = ClosureEventMonitor(queue: .global())
        monitor.requestDidSendBodyBytes = { _, bytes, expected in _ = "\(bytes) \(expected ?? 0)" }
        monitor.requestDidReceiveBodyBytes = { _, count in _ = "\(count)" }
        let request = Session(startRequestsImmediately: false, transport: ScriptedTransport(.response(200))).request(
            url)
        use(monitor, request)
        use(CompositeEventMonitor(monitors: [monitor, PlainMonitor()]), request)
        request.cancel()
    }

    private static func configured(_ change: (URLSessionConfiguration) -> Void) async {
        let configuration = URLSessionConfiguration.af.default
        change(configuration)
        guard let server = try? await LoopbackServer(handler: { try await $0.respond() }) else { return }
        let session = Session(configuration: configuration)
        await finish(session, session.request(server.url))
        withExtendedLifetime(server) {}
    }
}

private struct PlainMonitor: EventMonitor {}

import Foundation
import FoundationNetworking
import Moya
import MoyaSession

extension AttackCommand {
    /// Makes the calls of an order in one session, and reports the outcome of each.
    @Sendable static func calls(_ order: Order) async throws -> String {
        let session = try (order.session ?? SessionOrder()).session()
        var told: [String] = []
        for call in order.calls ?? [] {
            if let swap = call.swap { rename(swap[0], swap[1]) }
            if let wait = call.wait { try await _Concurrency.Task.sleep(for: .milliseconds(wait)) }
            told.append(try await outcomes(of: call, in: session))
        }
        withExtendedLifetime(session) {}
        return told.joined(separator: "; ")
    }

    /// Makes a call the given number of times; equal outcomes are counted.
    static func outcomes(of call: CallOrder, in session: Session) async throws -> String {
        guard let times = call.times else { return try await call.outcome(in: session) }
        var counts: [String: Int] = [:]
        if call.parallel == true {
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<times { group.addTask { try await call.outcome(in: session) } }
                for try await outcome in group { counts[outcome, default: 0] += 1 }
            }
        } else {
            for _ in 0..<times { counts[try await call.outcome(in: session), default: 0] += 1 }
        }
        return counts.sorted { ($0.value, $0.key) > ($1.value, $1.key) }.map { "\($0.value) x \($0.key)" }
            .joined(separator: ", ")
    }
}

extension CallOrder {
    /// Makes the call once.
    func outcome(in session: Session) async throws -> String {
        switch kind {
        case "target": return await targetOutcome(in: session)
        case "tokens": return await tokensOutcome(in: session)
        case "download":
            let request = prepared(session.download(orderedRequest, to: destination))
            let response = await withCheckedContinuation { continuation in
                request.response(queue: .global()) { continuation.resume(returning: $0) }.resume()
                cancelLater(request)
            }
            return told(response.error, response.response) {
                let size = response.fileURL.flatMap { try? $0.resourceValues(forKeys: [.fileSizeKey]).fileSize }
                return "\(size ?? -1) bytes"
            }
        case "string":
            let request = prepared(try request(of: session))
            let response = await withCheckedContinuation { continuation in
                request.responseString(queue: .global()) { continuation.resume(returning: $0) }.resume()
            }
            return told(response.error, response.response) { (response.value ?? "").debugDescription }
        default:
            let request = prepared(try request(of: session))
            let response = await withCheckedContinuation { continuation in
                request.response(queue: .global()) { continuation.resume(returning: $0) }.resume()
                cancelLater(request)
            }
            return told(response.error, response.response) { bodyText(response.data ?? Data()) }
        }
    }

    private func request(of session: Session) throws -> DataRequest {
        switch kind {
        case "wire":
            session.request(
                HTTPRequest(
                    method: method ?? "GET", url: url,
                    fields: (headers ?? []).map { HTTPField(name: $0[0], value: $0[1]) },
                    body: body.map { .data(Data($0.utf8)) } ?? .none))
        case "upload": session.upload(Data((body ?? "").utf8), with: orderedRequest)
        case "file": session.upload(URL(fileURLWithPath: path ?? ""), with: orderedRequest)
        case "stream": session.upload(InputStream(data: Data((body ?? "").utf8)), with: orderedRequest)
        case "form": session.upload(multipartFormData: form(), with: orderedRequest)
        default:
            session.request(
                url, method: HTTPMethod(rawValue: method ?? "GET"), parameters: parameters,
                headers: HTTPHeaders((headers ?? []).map { HTTPHeader(name: $0[0], value: $0[1]) }),
                requestModifier: body.map { text in { @Sendable request in request.httpBody = Data(text.utf8) } })
        }
    }

    /// The multipart form.
    func form() -> RequestMultipartFormData {
        let form = RequestMultipartFormData(boundary: boundary)
        for part in parts ?? [] {
            if let file = part.file {
                let url = URL(fileURLWithPath: file)
                form.append(url, withName: part.name, fileName: part.fileName ?? "f", mimeType: part.type ?? "a/b")
            } else {
                let data = Data((part.data ?? "").utf8)
                form.append(data, withName: part.name, fileName: part.fileName, mimeType: part.type)
            }
        }
        return form
    }

    private var orderedRequest: OrderedRequest {
        OrderedRequest(url: url, method: method ?? (kind == "download" ? "GET" : "POST"), headers: headers ?? [])
    }

    private var destination: DownloadRequest.Destination? {
        guard let path else { return nil }
        var chosen: DownloadRequest.Options = []
        if options?.contains("replace") == true { chosen.insert(.removePreviousFile) }
        if options?.contains("folders") == true { chosen.insert(.createIntermediateDirectories) }
        let options = chosen
        return { temporary, response in
            // In a folder, the file gets the name that the server suggests.
            let url = URL(fileURLWithPath: path)
            let suggested = DownloadRequest.suggestedDownloadDestination()(temporary, response).destinationURL
                .lastPathComponent
            return (path.hasSuffix("/") ? url.appendingPathComponent(suggested) : url, options)
        }
    }

    private func prepared<R: Request>(_ request: R) -> R {
        if let user { request.authenticate(username: user, password: password ?? "") }
        if let total { request.timeouts(Deadlines(total: .seconds(total))) }
        if let maximumBytes { request.maximumResponseBytes(maximumBytes) }
        return request
    }

    private func cancelLater(_ request: Request) {
        guard let cancelAfter else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(cancelAfter)) { request.cancel() }
    }

    private func told(_ error: SessionError?, _ response: HTTPURLResponse?, body: () -> String) -> String {
        if let error { return AttackCommand.words(error) + named(error.localizedDescription) }
        var text = "\(response?.statusCode ?? 0) \(body())"
        for name in shows ?? [] { text += " \(name)=\(response?.value(forHTTPHeaderField: name) ?? "none")" }
        return text
    }

    func named(_ message: String) -> String {
        guard let names, !message.contains(names) else { return "" }
        return ", which does not name \(names) (\(message))"
    }

    private func bodyText(_ data: Data) -> String {
        data.count > 48 ? "\(data.count) bytes" : String(decoding: data, as: UTF8.self).debugDescription
    }
}

/// A request whose parts are used unchanged.
struct OrderedRequest: URLRequestConvertible {
    var url: String
    var method: String
    var headers: [[String]]

    func asURLRequest() throws -> URLRequest {
        try URLRequest(
            url: url, method: HTTPMethod(rawValue: method),
            headers: HTTPHeaders(headers.map { HTTPHeader(name: $0[0], value: $0[1]) }))
    }
}

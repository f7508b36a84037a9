import Foundation
import Moya

extension AttackCommand {
    /// Uses a file at a path that an attacker has prepared.
    @Sendable static func file(_ order: Order) async throws -> String {
        guard let path = order.path else { return "no path" }
        let url = URL(fileURLWithPath: path)
        let tokens = OAuthTokens(accessToken: "access", refreshToken: "refresh")
        switch order.name {
        case "load":
            return try await FileTokenStore(file: url).load() == nil ? "no tokens" : "tokens"
        case "save":
            try await FileTokenStore(file: url).save(tokens)
            return "saved, mode \(mode(of: path))"
        case "clear":
            try await FileTokenStore(file: url).clear()
            return FileManager.default.fileExists(atPath: path) ? "still there" : "cleared"
        case "race":
            // Another thread repeatedly makes and removes a link to another user's file at the path of the store.
            let swapping = _Concurrency.Task.detached {
                while !_Concurrency.Task.isCancelled {
                    symlink(order.place ?? "", path)
                    unlink(path)
                }
            }
            let store = FileTokenStore(file: url)
            for _ in 0..<(order.count ?? 300) {
                try? await store.save(tokens)
                _ = try? await store.load()
            }
            swapping.cancel()
            await swapping.value
            return "raced"
        case "umask":
            umask(mode_t(order.count ?? 0))
            try await FileTokenStore(file: url).save(tokens)
            return "saved, mode \(mode(of: path))"
        case "multipart":
            let form = RequestMultipartFormData()
            form.append(Data("secret".utf8), withName: "a")
            try form.writeEncodedData(to: url)
            return "written, mode \(mode(of: path))"
        case "part":
            let form = RequestMultipartFormData()
            form.append(url, withName: "a", fileName: "a.txt", mimeType: "text/plain")
            return "encoded \(try form.encode().count > 0 ? "bytes" : "nothing")"
        case "resume":
            // A first part is stored on disk while the download waits to be resumed.
            let session = try (order.session ?? SessionOrder()).session()
            let request = session.download(order.calls?.first?.url ?? "")
            let (arrived, signal) = AsyncStream<Void>.makeStream()
            request.downloadProgress(queue: .global()) { if $0.completedUnitCount > 0 { signal.yield() } }
            request.response(queue: .global()) { _ in signal.finish() }.resume()
            for await _ in arrived { break }
            let data = await withCheckedContinuation { continuation in
                _ = request.cancel(byProducingResumeData: { continuation.resume(returning: $0) })
            }
            let kept =
                FileManager.default.enumerator(atPath: NSTemporaryDirectory())?.compactMap { $0 as? String } ?? []
            if let data, order.place == "again" {
                let response = await withCheckedContinuation { continuation in
                    session.download(resumingWith: data).response(queue: .global()) {
                        continuation.resume(returning: $0)
                    }.resume()
                }
                if let error = response.error { return words(error) }
                let whole = response.fileURL.flatMap { try? Data(contentsOf: $0) } ?? Data()
                let letters = Set(whole).sorted().map { String(UnicodeScalar($0)) }.joined()
                return "\(response.response?.statusCode ?? 0) \(whole.count) bytes of \(letters)"
            }
            let modes = Set(kept.map { mode(of: NSTemporaryDirectory() + "/" + $0) }).sorted()
            return "\(data == nil ? "no resume data" : "resume data"), modes \(modes.joined(separator: " "))"
        case "stores":
            // Cookies and responses are stored on disk by the shared stores.
            let configuration = URLSessionConfiguration.af.default
            configuration.urlCache = URLCache(memoryCapacity: 0, diskCapacity: 1 << 20, diskPath: order.place)
            let session = Session(configuration: configuration, startRequestsImmediately: false)
            var text = ""
            for call in order.calls ?? [] { text += try await call.outcome(in: session) + "; " }
            return text
        default: return "an unknown name"
        }
    }

    /// The permissions of a file, in octal digits.
    private static func mode(of path: String) -> String {
        var status = stat()
        guard lstat(path, &status) == 0 else { return "none" }
        return String(status.st_mode & 0o777, radix: 8)
    }
}

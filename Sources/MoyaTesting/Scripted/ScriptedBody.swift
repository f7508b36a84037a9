import Foundation
import MoyaTransport

/// Reads a request's body like a network transport.
final class ScriptedBody: Sendable {
    enum Progress {
        case bytes(Data)
        case nothingYet
        case end
    }

    var length: Int64? { body.length }
    private let body: TransportBody
    private let isOver = Lock(false)

    /// Reads a body from its beginning; `nil` if there is none.
    init?(_ body: TransportBody) {
        if case .none = body { return nil }
        self.body = body
    }

    /// Reads the available bytes: all of a body in memory or in a file, a piece of a stream.
    func readNext(whenReadable: @escaping @Sendable () -> Void) -> Result<Progress, TransportFailure> {
        if isOver.withLock({ $0 }) { return .success(.end) }
        switch body {
        case .none: return .success(.end)
        case .data(let data): return whole(data)
        case .file(let url, let length):
            do throws(RegularFile.Refusal) {
                let file = try RegularFile(at: url.path)
                return whole(try file.contents(limit: Int(clamping: max(length, file.length))))
            } catch {
                return .failure(TransportFailure(.requestBody, message: "\(url.path) \(error).", cause: error))
            }
        case .stream(let reader, _): return piece(of: reader, whenReadable)
        }
    }

    private func whole(_ data: Data) -> Result<Progress, TransportFailure> {
        isOver.withLock { $0 = true }
        return .success(.bytes(data))
    }

    private func piece(
        of reader: any TransportBodyReader, _ whenReadable: @escaping @Sendable () -> Void
    ) -> Result<Progress, TransportFailure> {
        var bytes = Data(count: 16_384)
        do {
            let count = try bytes.withUnsafeMutableBytes { try reader.read(into: $0, whenReadable: whenReadable) }
            guard let count else { return .success(.nothingYet) }
            guard count > 0 else { return .success(.end) }
            return .success(.bytes(bytes.prefix(count)))
        } catch {
            return .failure(
                TransportFailure(.requestBody, message: "The request body cannot be read.", cause: error))
        }
    }
}

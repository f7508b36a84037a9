#if os(Linux)
import Foundation
import Glibc
import MoyaTransport

/// The bytes of a request body, read piece by piece while they are sent.
enum BodySource {
    case none
    case data(Data, offset: Int)
    case file(descriptor: Int32, path: String, length: Int64, offset: Int64)
    case reader(StatedBody)

    static func opening(_ body: TransportBody) -> Result<BodySource, TransportFailure> {
        if let problem = body.lengthProblem { return .failure(.requestBody(problem)) }
        switch body {
        case .none: return .success(.none)
        case .data(let data): return .success(.data(data, offset: 0))
        case .stream(let reader, let length): return .success(.reader(StatedBody(reader, length: length)))
        case .file(let url, let length):
            do throws(RegularFile.Refusal) {
                let file = try RegularFile(at: url.path)
                guard file.length >= length else {
                    return .failure(.requestBody(file.shortfall(at: url.path, of: length)))
                }
                return .success(.file(descriptor: file.release(), path: url.path, length: length, offset: 0))
            } catch {
                return .failure(.requestBody("\(url.path) \(error)."))
            }
        }
    }

    /// The total number of bytes; `nil` if unknown.
    var length: Int64? {
        switch self {
        case .none: 0
        case .data(let data, _): Int64(data.count)
        case .file(_, _, let length, _): length
        case .reader(let body): body.length
        }
    }

    /// Fills the buffer with the available bytes; `nil` if there are none yet, and `whenReadable` will be called.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer, whenReadable: @escaping @autoclosure () -> @Sendable () -> Void
    ) -> Result<Int?, TransportFailure> {
        switch self {
        case .none:
            return .success(0)
        case .data(let data, let offset):
            let count = min(buffer.count, data.count - offset)
            guard count > 0 else { return .success(0) }
            let start = data.startIndex + offset
            data.copyBytes(to: buffer, from: start..<(start + count))
            self = .data(data, offset: offset + count)
            return .success(count)
        case .file(let descriptor, let path, let length, let offset):
            let wanted = Int(min(Int64(buffer.count), length - offset))
            guard wanted > 0 else { return .success(0) }
            let count = retryingOnInterrupt {
                Glibc.pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
            }
            guard count > 0 else {
                let why = count < 0 ? SystemError.text(of: errno) : "it became shorter while it was sent"
                return .failure(
                    .requestBody("\(path) cannot be read on from byte \(offset) of \(length): \(why)."))
            }
            self = .file(descriptor: descriptor, path: path, length: length, offset: offset + Int64(count))
            return .success(count)
        case .reader(var body):
            do throws(TransportFailure) {
                let count = try body.read(into: buffer, whenReadable: whenReadable())
                self = .reader(body)
                return .success(count)
            } catch {
                return .failure(error)
            }
        }
    }

    /// Moves to an offset in the body, for a request that has to be sent again; `false` on failure.
    mutating func seek(to offset: Int64) -> Bool {
        switch self {
        case .none: return offset == 0
        case .data(let data, _):
            guard offset <= Int64(data.count) else { return false }
            self = .data(data, offset: Int(offset))
        case .file(let descriptor, let path, let length, _):
            self = .file(descriptor: descriptor, path: path, length: length, offset: offset)
        case .reader(var body):
            guard body.seek(to: offset) else { return false }
            self = .reader(body)
        }
        return true
    }

    func close() {
        if case .file(let descriptor, _, _, _) = self { _ = Glibc.close(descriptor) }
    }
}
#endif

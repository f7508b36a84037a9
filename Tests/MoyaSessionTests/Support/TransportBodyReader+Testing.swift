import Foundation
import MoyaTransport

extension TransportBodyReader {
    /// Reads as a transport does: again once there is something, until the end.
    func readToEnd(by size: Int = 100) async throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let count = try await withCheckedThrowingContinuation { continuation in
                do {
                    let count = try buffer.withUnsafeMutableBytes { bytes in
                        try read(into: bytes) { continuation.resume(returning: -1) }
                    }
                    if let count { continuation.resume(returning: count) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            if count == 0 { return data }
            if count > 0 { data.append(contentsOf: buffer[..<count]) }
        }
    }
}

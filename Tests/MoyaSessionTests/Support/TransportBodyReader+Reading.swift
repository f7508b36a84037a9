import Foundation
import MoyaTransport

extension TransportBodyReader {
    /// Reads the body to its end, waiting where a transport would, and gives each read's bytes.
    func readAll(by size: Int, _ take: ([UInt8]) -> Void) throws {
        let isReadable = DispatchSemaphore(value: 0)
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let count = try buffer.withUnsafeMutableBytes { bytes in
                try read(into: bytes) { isReadable.signal() }
            }
            guard let count else {
                isReadable.wait()
                continue
            }
            if count == 0 { return }
            take(Array(buffer[..<count]))
        }
    }
}

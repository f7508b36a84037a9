#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Bytes that libcurl had kept for a paused reader, and that the reader does not accept at once when it resumes.
///
/// While one stream of an HTTP/2 connection is paused and others are read, libcurl keeps its incoming bytes, up to the
/// stream's window of 32 MiB. It reopens that window whenever reading resumes. If a part of the kept bytes were
/// returned to it, it would keep more each time, and end the transfer at 64 MiB. So all of them are accepted here, and
/// libcurl reads on only after they were delivered.
struct KeptBytes {
    /// `true` while libcurl hands over its bytes.
    var isFilling = false
    /// The pieces as libcurl delivered them, to avoid a second copy.
    private var pieces: [[UInt8]] = []
    /// The number of delivered pieces, and of delivered bytes of the next one.
    private var position = (piece: 0, byte: 0)
    /// `true` if a decoder may have more output without another byte.
    private var isWithinOutput = false

    /// `true` if nothing remains to be delivered.
    var isEmpty: Bool { position.piece == pieces.count && !isWithinOutput }

    mutating func append(_ bytes: UnsafeRawBufferPointer, isWithinOutput: Bool = false) {
        if !bytes.isEmpty { pieces.append([UInt8](bytes)) }
        if isWithinOutput { self.isWithinOutput = true }
    }

    /// Passes the next bytes to a closure, which returns the number of consumed bytes and whether they have more
    /// output.
    mutating func take(_ body: (UnsafeRawBufferPointer) -> (count: Int, isWithinOutput: Bool)) {
        guard position.piece < pieces.count else {
            return isWithinOutput = body(UnsafeRawBufferPointer(start: nil, count: 0)).isWithinOutput
        }
        let taken = pieces[position.piece].withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[position.byte...]))
        }
        isWithinOutput = taken.isWithinOutput
        position.byte += taken.count
        guard position.byte == pieces[position.piece].count else { return }
        pieces[position.piece] = []
        position = (position.piece + 1, 0)
        guard position.piece == pieces.count else { return }
        pieces = []
        position.piece = 0
    }
}

extension CurlEasy {
    /// Keeps bytes that libcurl hands over, or makes libcurl keep them.
    func keep(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard kept.isFilling else { return Int(CURL_WRITEFUNC_PAUSE) }
        // Bytes that were decoded before libcurl offered them again.
        let known = min(takenBytes, bytes.count)
        takenBytes -= known
        kept.append(UnsafeRawBufferPointer(rebasing: bytes[known...]))
        receivedBytes += Int64(bytes.count)
        return bytes.count
    }

    /// Delivers kept bytes until the reader waits again; sets ``ownFailure`` on a decoding error.
    func deliverKept() {
        guard let exchange else { return }
        while !kept.isEmpty, !isPaused, ownFailure == nil {
            kept.take { piece in
                guard let decoder else {
                    if exchange.deliver(.chunk(piece)) == .wait { pause = .reader }
                    return (piece.count, false)
                }
                let taken = decode(piece, by: decoder, for: exchange)
                // A decoder that requests more has consumed everything.
                return (isPaused ? taken ?? piece.count : piece.count, isPaused)
            }
        }
    }
}
#endif

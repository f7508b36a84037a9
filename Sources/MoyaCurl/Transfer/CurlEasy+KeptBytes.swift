#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// The bytes that libcurl had kept for a paused reader, and that the reader does not take at once when it goes on.
///
/// While one stream of an HTTP/2 connection is paused and others are read, libcurl keeps what comes for it, as much as the
/// stream's window: 32 MiB. It opens that window anew whenever reading goes on. If it was given back a part of what it keeps,
/// it would keep more each time, and end the transfer at 64 MiB. So all of it is taken, and libcurl reads on only after that
/// was delivered.
struct KeptBytes {
    /// `true` if libcurl is giving its bytes away.
    var isFilling = false
    /// As libcurl gave them, so that none is copied again.
    private var pieces: [[UInt8]] = []
    /// How many of the pieces were delivered, and how many bytes of the next one.
    private var position = (piece: 0, byte: 0)
    /// `true` if a decoder may have more to give without another byte.
    private var isWithinOutput = false

    /// `true` if there is nothing to deliver.
    var isEmpty: Bool { position.piece == pieces.count && !isWithinOutput }

    mutating func append(_ bytes: UnsafeRawBufferPointer, isWithinOutput: Bool = false) {
        if !bytes.isEmpty { pieces.append([UInt8](bytes)) }
        if isWithinOutput { self.isWithinOutput = true }
    }

    /// Gives the next bytes to a closure, which returns how many it has taken and whether there is more output of them.
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
    /// Keeps bytes that libcurl gives away, or has it keep them.
    func keep(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard kept.isFilling else { return Int(CURL_WRITEFUNC_PAUSE) }
        // Those that were decoded before libcurl was to offer them again.
        let known = min(takenBytes, bytes.count)
        takenBytes -= known
        kept.append(UnsafeRawBufferPointer(rebasing: bytes[known...]))
        receivedBytes += Int64(bytes.count)
        return bytes.count
    }

    /// Delivers what is kept until the reader waits again; sets ``ownFailure`` for what cannot be decoded.
    func deliverKept() {
        guard let exchange else { return }
        while !kept.isEmpty, !isPaused, ownFailure == nil {
            kept.take { piece in
                guard let decoder else {
                    isPaused = exchange.deliver(.chunk(piece)) == .wait
                    return (piece.count, false)
                }
                let taken = decode(piece, by: decoder, for: exchange)
                // A decoder that asks for more has taken everything.
                return (isPaused ? taken ?? piece.count : piece.count, isPaused)
            }
        }
    }
}
#endif

#if os(Linux)
import CMoyaCurl
import MoyaTransport

/// Removes the content codings of one response body (RFC 9110 section 8.4).
///
/// libcurl's own decoders accept a truncated body as complete, and refuse an unknown coding.
final class ContentDecoder {
    /// A coding, and encoded bytes that it has not consumed yet.
    private struct Stage {
        let decoder: OpaquePointer
        var buffer: UnsafeMutableRawBufferPointer?
        var pending = UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// The error for a coding that cannot be removed.
    struct Failure: Error {
        let coding: String
    }

    /// The codings as Content-Encoding lists them.
    let codings: String
    /// The decoders in the order in which bytes pass through them: the reverse of the order in which the codings were
    /// applied.
    private var stages: [Stage] = []
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 16)
    private static let bufferSize = 32 * 1024

    /// More codings than this are an attack: each can multiply its input by a thousand.
    private static let mostCodings = 5

    /// The number of bytes that all codings together have made since ``beginStep()``, and the maximum.
    private var bytesInStep = 0
    private static let mostBytesInStep = 4 << 20

    /// `true` if ``next(_:)`` makes no more bytes until the next step, so that other exchanges, time limits and a
    /// cancellation are not kept waiting.
    var isStepOver: Bool { bytesInStep >= Self.mostBytesInStep }

    /// Begins the next step.
    func beginStep() { bytesInStep = 0 }

    /// Makes a decoder for a response; `nil` if its body is not encoded, or in an unknown coding: such a body is
    /// delivered unchanged, and Content-Encoding is kept.
    ///
    /// - Throws: ``Failure`` for more than five codings, or if memory ran out.
    static func make(for head: TransportResponseHead) throws(Failure) -> ContentDecoder? {
        let names = head.contentCodings
        guard !names.isEmpty else { return nil }
        var codings: [moya_coding] = []
        for name in names {
            guard let coding = coding(named: name), moya_coding_is_available(coding) else { return nil }
            codings.append(coding)
        }
        let listed = names.joined(separator: ", ")
        guard codings.count <= mostCodings else { throw Failure(coding: listed) }
        return try ContentDecoder(codings, listed: listed)
    }

    private init(_ codings: [moya_coding], listed: String) throws(Failure) {
        self.codings = listed
        for coding in codings.reversed() {
            guard let decoder = moya_decoder_new(coding) else { throw Failure(coding: listed) }
            stages.append(Stage(decoder: decoder))
        }
    }

    deinit {
        for stage in stages {
            moya_decoder_free(stage.decoder)
            stage.buffer?.deallocate()
        }
        output.deallocate()
    }

    /// `true` if the encoded body has ended, or has not begun.
    var isComplete: Bool { stages.allSatisfy { moya_decoder_is_complete($0.decoder) } }

    /// Consumes the encoded bytes for the next piece of the body, and returns that piece; `nil` if more bytes are
    /// needed, or another step.
    ///
    /// - Parameter input: The encoded bytes; unconsumed bytes remain in it.
    func next(_ input: inout UnsafeRawBufferPointer) throws(Failure) -> UnsafeRawBufferPointer? {
        let count = try fill(output, from: stages.count - 1, &input)
        return count == 0 ? nil : UnsafeRawBufferPointer(rebasing: output[..<count])
    }

    private func fill(
        _ room: UnsafeMutableRawBufferPointer, from index: Int, _ input: inout UnsafeRawBufferPointer
    ) throws(Failure) -> Int {
        while !isStepOver {
            var written = 0
            let decoder = stages[index].decoder
            let state =
                index == 0
                ? Self.decode(decoder, &input, room, &written)
                : Self.decode(decoder, &stages[index].pending, room, &written)
            if state == MOYA_DECODER_FAILED { throw Failure(coding: codings) }
            bytesInStep += written
            guard written == 0 else { return written }
            guard index > 0 else { return 0 }
            let buffer = stages[index].buffer ?? .allocate(byteCount: Self.bufferSize, alignment: 16)
            stages[index].buffer = buffer
            let count = try fill(buffer, from: index - 1, &input)
            guard count > 0 else { return 0 }
            stages[index].pending = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        }
        return 0
    }

    private static func decode(
        _ decoder: OpaquePointer, _ input: inout UnsafeRawBufferPointer, _ room: UnsafeMutableRawBufferPointer,
        _ written: inout Int
    ) -> moya_decoder_state {
        guard let start = room.bindMemory(to: UInt8.self).baseAddress else { return MOYA_DECODER_NEEDS_ROOM }
        var next = input.bindMemory(to: UInt8.self).baseAddress
        var length = input.count
        let state = moya_decoder_step(decoder, &next, &length, start, room.count, &written)
        input = UnsafeRawBufferPointer(rebasing: input[(input.count - length)...])
        return state
    }

    // MARK: Names

    /// The default Accept-Encoding, with the codings whose libraries are available; `nil` if there are none.
    static let offer: String? = {
        let known: [(String, moya_coding)] = [
            ("deflate", MOYA_CODING_DEFLATE), ("gzip", MOYA_CODING_GZIP), ("br", MOYA_CODING_BROTLI),
            ("zstd", MOYA_CODING_ZSTD),
        ]
        let names = known.filter { moya_coding_is_available($0.1) }.map(\.0)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }()

    private static func coding(named name: String) -> moya_coding? {
        switch name {
        case "gzip", "x-gzip": MOYA_CODING_GZIP
        case "deflate": MOYA_CODING_DEFLATE
        case "br": MOYA_CODING_BROTLI
        case "zstd": MOYA_CODING_ZSTD
        default: nil
        }
    }
}
#endif

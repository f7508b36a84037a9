public import Foundation
import MoyaTransport

/// Builds a `multipart/form-data` body (RFC 7578) from data, files and streams.
///
/// Appending never fails: ``encode()`` and ``writeEncodedData(to:)`` throw the error of the first invalid part. A form
/// is encoded once, because that reads its streams to their ends; encoding it again throws
/// ``SessionError/MultipartEncodingFailureReason/inputStreamReadFailed(error:)``.
///
/// Names and file names are sent in UTF-8, with quotes and line breaks escaped as in browsers (`%22`, `%0D%0A`; WHATWG
/// HTML, "multipart form data"). A NUL in either, a backslash at the end of a name, and `..` between the slashes of a
/// file name are refused, since a server could misinterpret them. So are a type or a header field with a control
/// character.
///
/// A session sends a form with a stream of unknown length while reading it: it is held neither in memory nor on disk,
/// and cannot be sent a second time. Any other form is sent from memory, or from a file (``encodingMemoryThreshold``).
///
/// `@unchecked`: an open class cannot be checked. All mutable state is protected by the lock, and a subclass is
/// responsible for its own.
open class RequestMultipartFormData: @unchecked Sendable {
    /// The length of content, 10 MB, from which a session writes the body to a file instead of memory.
    public static let encodingMemoryThreshold: UInt64 = 10_000_000

    /// The separator of the parts.
    public let boundary: String

    /// The value of the request's `Content-Type`; by default `multipart/form-data` with the boundary.
    ///
    /// A session reads it once, as the upload is made. A value that was set is sent unchanged, so it must contain the
    /// boundary.
    open var contentType: String {
        get { state.withLock { $0.contentType } ?? standardContentType }
        set { state.withLock { $0.contentType = newValue } }
    }

    private var standardContentType: String {
        ASCII.isToken(boundary)
            ? "multipart/form-data; boundary=\(boundary)" : "multipart/form-data; boundary=\"\(boundary)\""
    }

    /// The total number of bytes in all parts, without header fields and boundaries.
    ///
    /// With a stream of unknown length it is `UInt64.max`, which exceeds every threshold.
    public var contentLength: UInt64 {
        state.withLock { state in
            state.parts.reduce(0) { sum, part in
                let (total, overflows) = sum.addingReportingOverflow(part.content.length ?? .max)
                return overflows ? .max : total
            }
        }
    }

    /// `true` if a part is a stream of unknown length.
    var hasUnknownLength: Bool { state.withLock { $0.parts.contains { $0.content.length == nil } } }

    private let fileManager: FileManager
    private let state: Lock<State>

    private struct Part: Sendable {
        var header: MultipartHeader
        var content: MultipartPiece
    }

    private struct State {
        var parts: [Part] = []
        var firstError: SessionError?
        var isEncoded = false
        /// The content type that was set; `nil` for that of the boundary.
        var contentType: String?
    }

    /// Makes a form without parts.
    ///
    /// - Parameters:
    ///   - fileManager: Checks whether an output file already exists.
    ///   - boundary: 1 to 70 letters, digits, inner spaces, or any of `'()+_,-./:=?` (RFC 2046 section 5.1.1) that no
    ///     part contains; `nil` for a random one.
    public init(fileManager: FileManager = .default, boundary: String? = nil) {
        self.fileManager = fileManager
        self.boundary = boundary ?? Self.randomBoundary()
        let isValid = Self.isBoundary(self.boundary)
        state = Lock(State(firstError: isValid ? nil : Self.failure(.bodyPartHeaderInvalid(value: self.boundary))))
    }

    /// Appends a part from memory.
    open func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {
        let header = MultipartHeader(name: name, fileName: fileName, mimeType: mimeType)
        append(Part(header: header, content: MultipartPiece(data)))
    }

    /// Appends a file under its own name, with the MIME type of its extension.
    ///
    /// The file needs a name and an extension; it is read when the form is encoded.
    open func append(_ fileURL: URL, withName name: String) {
        let fileName = fileURL.lastPathComponent
        let pathExtension = fileURL.pathExtension
        if fileName.isEmpty || pathExtension.isEmpty {
            refuse(Self.failure(.bodyPartFilenameInvalid(in: fileURL)))
        } else {
            append(
                fileURL, withName: name, fileName: fileName, mimeType: MIMEType.ofFile(withExtension: pathExtension))
        }
    }

    /// Appends a file, which is read when the form is encoded.
    open func append(_ fileURL: URL, withName name: String, fileName: String, mimeType: String) {
        do throws(SessionError) {
            let length = try MultipartSource.length(ofFileAt: fileURL)
            let header = MultipartHeader(name: name, fileName: fileName, mimeType: mimeType)
            append(Part(header: header, content: MultipartPiece(.file(fileURL), length: length)))
        } catch {
            refuse(error)
        }
    }

    /// Appends a stream, which is read and closed when the form is encoded, and must not be used before.
    ///
    /// - Parameters:
    ///   - stream: The source of the bytes.
    ///   - length: The number of bytes in the stream.
    ///   - name: The name of the form's field.
    ///   - fileName: The file name sent to the server.
    ///   - mimeType: The media type sent to the server.
    open func append(
        _ stream: InputStream, withLength length: UInt64, name: String, fileName: String, mimeType: String
    ) {
        append(stream, length: length, under: MultipartHeader(name: name, fileName: fileName, mimeType: mimeType))
    }

    /// Appends a stream with custom header fields, and no others.
    ///
    /// - Parameters:
    ///   - stream: The source of the bytes.
    ///   - length: The number of bytes in the stream.
    ///   - headers: The header section of the part.
    open func append(_ stream: InputStream, withLength length: UInt64, headers: HTTPHeaders) {
        append(stream, length: length, under: MultipartHeader(headers))
    }

    /// Appends a stream of unknown length, which may be unbounded.
    ///
    /// A session then sends the form while reading it, without a `Content-Length`, and fails instead of sending it
    /// again for a retry or a redirect. ``encode()`` and ``writeEncodedData(to:)`` read the stream to its end.
    open func append(_ stream: InputStream, name: String, fileName: String, mimeType: String) {
        append(stream, length: nil, under: MultipartHeader(name: name, fileName: fileName, mimeType: mimeType))
    }

    /// Appends a stream of unknown length with custom header fields.
    ///
    /// It is sent as documented in ``append(_:name:fileName:mimeType:)``.
    open func append(_ stream: InputStream, headers: HTTPHeaders) {
        append(stream, length: nil, under: MultipartHeader(headers))
    }

    /// Encodes the form in memory; a form without parts is empty.
    ///
    /// - Throws: ``SessionError/multipartEncodingFailed(reason:)``.
    open func encode() throws -> Data {
        let pieces = try takePieces()
        var data = Data()
        // A stream may state any length, so memory is only reserved for a plausible one.
        let most = Self.encodingMemoryThreshold
        data.reserveCapacity(Int(pieces.reduce(0) { min($0 + min($1.length ?? 0, most), most) }))
        try write(pieces, seekingEnds: true) { data.append(contentsOf: $0) }
        return data
    }

    /// Encodes the form to a new file, which is removed after a failure; parts are never completely in memory.
    ///
    /// The file must not exist yet; it is readable only by its owner. If a file or stream has grown since it was
    /// appended, only the original length is written.
    ///
    /// - Throws: ``SessionError/multipartEncodingFailed(reason:)``.
    open func writeEncodedData(to fileURL: URL) throws {
        if let error = state.withLock({ $0.firstError }) { throw error }
        if fileManager.fileExists(atPath: fileURL.path) {
            throw Self.failure(.outputStreamFileAlreadyExists(at: fileURL))
        }
        guard fileURL.isFileURL else { throw Self.failure(.outputStreamURLInvalid(url: fileURL)) }
        var file = try Self.newFile(at: fileURL)
        try write(try takePieces(), seekingEnds: false) { bytes in
            do throws(SystemError) {
                try file.append(bytes)
            } catch {
                throw Self.failure(.outputStreamWriteFailed(error: SystemError.posix(error.number)))
            }
        }
        file.keep()
    }

    /// Encodes the form while it is read; usable once.
    func makeBodyReader() throws(SessionError) -> MultipartBodyReader { MultipartBodyReader(try takePieces()) }
}

extension RequestMultipartFormData {
    private func append(_ part: Part) {
        if let value = part.header.invalidValue {
            refuse(Self.failure(.bodyPartHeaderInvalid(value: value)))
        } else {
            state.withLock { $0.parts.append(part) }
        }
    }

    private func refuse(_ error: SessionError) {
        state.withLock { if $0.firstError == nil { $0.firstError = error } }
    }

    private func append(_ stream: InputStream, length: UInt64?, under header: MultipartHeader) {
        let source = MultipartSource.stream(.init(stream: stream))
        append(Part(header: header, content: MultipartPiece(source, length: length)))
    }

    private func takePieces() throws(SessionError) -> [MultipartPiece] {
        let result = state.withLock { state -> Result<[Part], SessionError> in
            if let error = state.firstError { return .failure(error) }
            if state.isEncoded, let part = state.parts.first(where: { $0.content.length != 0 }) {
                let error: any Error =
                    if let length = part.content.length {
                        SessionError.UnexpectedInputStreamLength(bytesExpected: length, bytesRead: 0)
                    } else { MultipartStreamIsSpent() }
                return .failure(Self.failure(.inputStreamReadFailed(error: error)))
            }
            state.isEncoded = true
            return .success(state.parts)
        }
        let parts = try result.get()
        if parts.isEmpty { return [] }
        var pieces: [MultipartPiece] = []
        var separator = "--\(boundary)\r\n"
        for part in parts {
            pieces.append(MultipartPiece(Data(Array(separator.utf8) + part.header.bytes + [13, 10])))
            pieces.append(part.content)
            separator = "\r\n--\(boundary)\r\n"
        }
        pieces.append(MultipartPiece("\r\n--\(boundary)--\r\n"))
        return pieces
    }

    /// The buffer size for copying a file or stream, in bytes.
    private static let bufferSize = 64 * 1024

    private func write(
        _ pieces: [MultipartPiece], seekingEnds: Bool, to write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try withUnsafeTemporaryAllocation(byteCount: Self.bufferSize, alignment: 1) { buffer in
            for piece in pieces {
                if case .data(let data) = piece.source {
                    try data.withUnsafeBytes(write)
                    continue
                }
                let reader = try MultipartPieceReader(piece, seeksEnd: seekingEnds)
                while case let count = try reader.read(into: buffer), count > 0 {
                    try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            }
        }
    }

    private static func newFile(at url: URL) throws(SessionError) -> PrivateFile {
        do throws(SystemError) {
            return try PrivateFile(at: url.path)
        } catch {
            throw failure(
                error.number == EEXIST
                    ? .outputStreamFileAlreadyExists(at: url) : .outputStreamCreationFailed(for: url))
        }
    }

    private static func failure(_ reason: SessionError.MultipartEncodingFailureReason) -> SessionError {
        .multipartEncodingFailed(reason: reason)
    }

    private static func randomBoundary() -> String {
        let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
        return "moya.boundary." + String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func isBoundary(_ text: String) -> Bool {
        (1...70).contains(text.utf8.count) && text.utf8.last != UInt8(ascii: " ")
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: " '()+_,-./:=?".utf8.contains(byte)
                }
            }
    }
}

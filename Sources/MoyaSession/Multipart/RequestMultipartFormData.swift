public import Foundation
import MoyaTransport
import Synchronization

/// Builds a `multipart/form-data` body (RFC 7578) from data, files and streams.
///
/// Appending never fails: the first part that cannot be used is what ``encode()`` and ``writeEncodedData(to:)`` throw.
/// A form is encoded once, because that reads its streams to their ends; encoding it again throws
/// ``SessionError/MultipartEncodingFailureReason/inputStreamReadFailed(error:)``.
///
/// A quote, line break or NUL in a name or file name is percent-encoded; a field that could not be written on
/// one line is refused.
// Unchecked: an open class cannot be checked. All that changes is behind the mutex, and subclasses are told so here.
open class RequestMultipartFormData: @unchecked Sendable {
    /// The length of content, 10 MB, from which a session writes the body to a file rather than to memory.
    public static let encodingMemoryThreshold: UInt64 = 10_000_000

    /// What separates the parts.
    public let boundary: String

    /// The value of the request's `Content-Type`.
    open var contentType: String {
        ASCII.isToken(boundary)
            ? "multipart/form-data; boundary=\(boundary)" : "multipart/form-data; boundary=\"\(boundary)\""
    }

    /// How many bytes the contents of all parts have together, their header fields and boundaries not counted.
    public var contentLength: UInt64 {
        state.withLock { state in
            state.parts.reduce(0) { sum, part in
                let (total, overflows) = sum.addingReportingOverflow(part.length)
                return overflows ? .max : total
            }
        }
    }

    private let fileManager: FileManager
    private let state: Mutex<State>

    private struct Part: Sendable {
        var header: MultipartHeader
        var source: MultipartSource
        var length: UInt64
    }

    private struct State {
        var parts: [Part] = []
        var firstError: SessionError?
        var isEncoded = false
    }

    /// Makes a form without parts.
    ///
    /// - Parameters:
    ///   - fileManager: Looks whether an output file is there already.
    ///   - boundary: 1 to 70 letters, digits, spaces inside, or any of `'()+_,-./:=?` (RFC 2046 section 5.1.1) that no
    ///     part holds; `nil` for a random one.
    public init(fileManager: FileManager = .default, boundary: String? = nil) {
        self.fileManager = fileManager
        self.boundary = boundary ?? Self.randomBoundary()
        let isValid = Self.isBoundary(self.boundary)
        state = Mutex(State(firstError: isValid ? nil : Self.failure(.bodyPartHeaderInvalid(value: self.boundary))))
    }

    /// Appends a part that is in memory.
    open func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {
        let header = MultipartHeader(name: name, fileName: fileName, mimeType: mimeType)
        append(Part(header: header, source: .data(data), length: UInt64(data.count)))
    }

    /// Appends a file under its own name, with the MIME type that goes with its extension.
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
            append(Part(header: header, source: .file(fileURL), length: length))
        } catch {
            refuse(error)
        }
    }

    /// Appends a stream, which is read and closed when the form is encoded, and must not be used before.
    ///
    /// - Parameter length: How many bytes the stream holds.
    open func append(
        _ stream: InputStream, withLength length: UInt64, name: String, fileName: String, mimeType: String
    ) {
        let header = MultipartHeader(name: name, fileName: fileName, mimeType: mimeType)
        append(Part(header: header, source: .stream(.init(stream: stream)), length: length))
    }

    /// Appends a stream under header fields of your own, with no field but these.
    ///
    /// - Parameter length: How many bytes the stream holds.
    open func append(_ stream: InputStream, withLength length: UInt64, headers: HTTPHeaders) {
        append(Part(header: MultipartHeader(headers), source: .stream(.init(stream: stream)), length: length))
    }

    /// Encodes the form in memory; a form without parts is empty.
    ///
    /// - Throws: ``SessionError/multipartEncodingFailed(reason:)``.
    open func encode() throws -> Data {
        let parts = try takeParts()
        var data = Data()
        // A stream may claim any length; only what is there is worth believing.
        let expected = min(contentLength, Self.encodingMemoryThreshold)
        data.reserveCapacity(
            Int(expected) + parts.reduce(0) { $0 + $1.header.bytes.count + boundary.utf8.count + 8 } + 16)
        try write(parts, seekingEnds: true) { data.append(contentsOf: $0) }
        return data
    }

    /// Encodes the form into a new file, of which a failure leaves nothing; parts are never in memory as a whole.
    ///
    /// The file must not be there yet; it is readable by its owner only. Of a file or stream that has grown since it
    /// was appended, no more than the length known then is written.
    ///
    /// - Throws: ``SessionError/multipartEncodingFailed(reason:)``.
    open func writeEncodedData(to fileURL: URL) throws {
        if let error = state.withLock({ $0.firstError }) { throw error }
        if fileManager.fileExists(atPath: fileURL.path) {
            throw Self.failure(.outputStreamFileAlreadyExists(at: fileURL))
        }
        guard fileURL.isFileURL else { throw Self.failure(.outputStreamURLInvalid(url: fileURL)) }
        var file = try MultipartFile(at: fileURL)
        try write(try takeParts(), seekingEnds: false) { try file.append($0) }
        file.finish()
    }
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

    private func takeParts() throws -> [Part] {
        try state.withLock { state in
            if let error = state.firstError { throw error }
            if state.isEncoded, let part = state.parts.first(where: { $0.length > 0 }) {
                let error = SessionError.UnexpectedInputStreamLength(bytesExpected: part.length, bytesRead: 0)
                throw Self.failure(.inputStreamReadFailed(error: error))
            }
            state.isEncoded = true
            return state.parts
        }
    }

    private func write(
        _ parts: [Part], seekingEnds: Bool, to write: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard !parts.isEmpty else { return }
        var separator = "--\(boundary)\r\n"
        for part in parts {
            try (Array(separator.utf8) + part.header.bytes + [13, 10]).withUnsafeBytes(write)
            try part.source.read(length: part.length, seeksEnd: seekingEnds, write: write)
            separator = "\r\n--\(boundary)\r\n"
        }
        try Array("\r\n--\(boundary)--\r\n".utf8).withUnsafeBytes(write)
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

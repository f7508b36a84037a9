public import Foundation
import MoyaTransport

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The data to resume a download: the request, the first part of the body, and a validator that detects changes of the
/// resource.
///
/// It is stored as JSON. The first part stays a temporary file, of which only the name is stored: the temporary
/// directory may change between two runs of an app, and a name cannot lead to another place.
struct ResumeData: Codable, Hashable, Sendable {
    var url: URL
    var fields: [Field]
    /// The names of fields that are credentials although their names do not say so; `nil` in data of older versions.
    var credentialFields: [String]?
    /// The strong entity tag, otherwise the date of the last change, of the downloaded resource (RFC 9110 section 8.8).
    var validator: String
    /// The weak entity tag of a resource whose validator is a date; `nil` if it had none, or in data of older versions.
    ///
    /// A date has a resolution of a second, in which a resource may change twice.
    var weakTag: String?
    /// The date of the last change of a resource whose validator is a tag; `nil` if it had none, or in data of older
    /// versions.
    var modificationDate: String?
    var fileName: String
    var length: Int64
    /// The number of bytes of the whole resource; `nil` if unknown, or in data of older versions.
    var total: Int64?
    /// The unknown content codings of the first part; `nil` without one, or in data of older versions.
    var codings: [String]?
    /// The settings of the request that differ from the default; `nil` without one, or in data of older versions.
    var settings: Settings?

    struct Field: Codable, Hashable, Sendable {
        var name: String
        var value: String
    }

    /// Makes the resume data of an interrupted response; `nil` if the rest cannot be requested.
    ///
    /// - Parameters:
    ///   - credentialFields: The names of fields that are credentials although their names do not say so.
    ///   - earlier: The resume data that a partial response continues; such a response need not repeat the validators
    ///     (RFC 9110 section 15.3.7).
    init?(
        of request: URLRequest, credentialFields: Set<String> = [], head: TransportResponseHead, file: URL,
        length: Int64, continuing earlier: ResumeData? = nil
    ) {
        let tag = head.value(for: "etag")
        // A weak tag does not identify bytes (RFC 9110 section 13.1.5), and one without quotes is no tag.
        let strongTag = tag.flatMap { EntityTag.isStrong($0) ? $0 : nil }
        guard request.httpMethod ?? "GET" == "GET", let url = request.url, length > 0,
            head.status == 200 || head.status == 206,
            // The kept bytes of an encoded body are decoded, and no range of the encoded bytes continues them.
            !head.isDecoded,
            head.value(for: "accept-ranges")?.lowercased() != "none",
            let validator = strongTag ?? earlier?.validator ?? Self.strongDate(in: head)
        else { return nil }
        self.url = url
        self.validator = validator
        let isTagged = EntityTag.isStrong(validator)
        weakTag = isTagged ? nil : tag ?? earlier?.weakTag
        modificationDate = isTagged ? head.value(for: "last-modified") ?? earlier?.modificationDate : nil
        self.length = length
        fileName = file.lastPathComponent
        fields = (request.allHTTPHeaderFields ?? [:])
            .filter { !Self.ownFields.contains($0.key.lowercased()) }
            .map { Field(name: $0.key, value: $0.value) }
            .sorted { $0.name < $1.name }
        self.credentialFields = credentialFields.isEmpty ? nil : credentialFields.sorted()
        total = Self.total(in: head) ?? earlier?.total
        codings = earlier?.codings ?? (head.contentCodings.isEmpty ? nil : head.contentCodings)
        settings = Settings(of: request)
    }

    /// The length that a response states for the whole resource.
    private static func total(in head: TransportResponseHead) -> Int64? {
        guard head.status == 206 else { return head.contentLength }
        return head.value(for: "content-range").flatMap(ContentRange.numbers)?.total
    }

    /// The date of the last change, unless the resource may have changed again in the same second (RFC 9110 section
    /// 8.8.2.2).
    private static func strongDate(in head: TransportResponseHead) -> String? {
        guard let text = head.value(for: "last-modified"), let change = HTTPDate.date(from: text) else { return nil }
        let sent = head.value(for: "date").flatMap { HTTPDate.date(from: $0) }
        return sent.map { $0.timeIntervalSince(change) >= 1 } ?? true ? text : nil
    }

    /// Fields that resuming sets itself.
    private static let ownFields: Set<String> = ["range", "if-range", "accept-encoding"]

    init(_ data: Data) throws(ResumeDataError) {
        do {
            self = try JSONDecoder().decode(ResumeData.self, from: data)
        } catch {
            throw ResumeDataError.malformed
        }
        // Foundation drops a field without a valid value, and the rest of any version would be accepted.
        guard TemporaryFile.isNameOfDownload(fileName), length > 0, total ?? length >= length,
            ASCII.isFieldValue(validator), !ASCII.trimmed(validator[...]).isEmpty
        else {
            throw ResumeDataError.malformed
        }
    }

    /// The encoded form, the same bytes each time.
    var data: Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(self)
    }

    /// The file of the first part.
    var file: URL { FileManager.default.temporaryDirectory.appendingPathComponent(fileName) }

    /// `true` if the first part still exists, with at least the expected length.
    var isFileThere: Bool { TemporaryFile.isThere(file, length: length) }

    /// Removes the first part, unless another request continues it.
    func removeFile() { TemporaryFile.removeUnused(file) }

    /// The request of the whole resource.
    var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        settings?.apply(to: &request)
        return request
    }

    /// Makes a request for only the rest, if the resource is unchanged (RFC 9110 sections 13.1.5 and 14.2).
    func requestRest(in request: inout URLRequest) {
        request.setValue("bytes=\(length)-", forHTTPHeaderField: "Range")
        request.setValue(validator, forHTTPHeaderField: "If-Range")
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    }

    /// The position of the resource's last byte, if a partial response (RFC 9110 section 15.3.7) belongs to the same
    /// resource, begins where the first part ends, and continues to the resource's end; otherwise `nil`.
    func lastByte(continuedBy head: TransportResponseHead) -> Int64? {
        guard head.status == 206, !head.isDecoded, isOfSame(head),
            // A rest need not repeat the coding (RFC 9110 section 15.3.7).
            head.contentCodings.isEmpty || head.contentCodings == codings,
            let part = head.value(for: "content-range").flatMap(ContentRange.numbers), part.first == length
        else { return nil }
        let end = (part.total ?? total).map { $0 - 1 } ?? part.last
        return end == part.last ? end : nil
    }

    /// A server that ignores `If-Range` sends a part of the current resource (RFC 9110 section 15.3.7.3).
    func isOfSame(_ head: TransportResponseHead) -> Bool {
        if let total, let stated = Self.total(in: head), stated != total { return false }
        let (tag, date) = (head.value(for: "etag"), head.value(for: "last-modified"))
        let current = EntityTag.isStrong(validator) ? tag : date
        guard current == nil || current == validator else { return false }
        guard let tag else { return date == nil || modificationDate == nil || date == modificationDate }
        guard let weakTag else { return true }
        // A tag that is weak while the resource is new becomes a strong one.
        return EntityTag.areWeaklyEqual(tag, weakTag)
    }
}

/// The reason that a download cannot be resumed.
public enum ResumeDataError: LocalizedError, Hashable {
    /// The data does not come from a download.
    case malformed
    /// The server sent another part of the resource than requested.
    case wrongRange(String)

    /// Names the problem and its remedy.
    public var errorDescription: String? {
        switch self {
        case .malformed:
            "This is no resume data: give what a download's resumeData held, unchanged, or download anew."
        case .wrongRange(let range):
            "The server sent \(range.isEmpty ? "a part without saying which" : "\"\(range)\""), "
                + "which is not what was requested; download anew."
        }
    }
}

/// The first part of an interrupted download; the file is deleted with the object unless the data was read.
///
/// `@unchecked`: the file is no longer written, and the state is protected by the lock.
final class PartialDownload: @unchecked Sendable {
    private let file: TemporaryFile?
    private let resumeData: ResumeData
    private let lock = Lock(())

    /// - Parameter file: The file; `nil` if it is kept anyway.
    init(file: TemporaryFile?, resumeData: ResumeData) {
        self.file = file
        self.resumeData = resumeData
    }

    /// The resume data; the file is no longer deleted.
    func claim() -> Data? {
        lock.withLock { _ in file?.keep() }
        return resumeData.data
    }
}

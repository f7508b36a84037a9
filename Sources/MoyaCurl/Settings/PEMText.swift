#if os(Linux)
import CMoyaCurl
import Foundation

/// Certificates or a key in PEM form in memory that libcurl reads in place: handles refer to it without copying.
///
/// `@unchecked`: the bytes are immutable once a text is shared, and freed with the last reference.
final class PEMText: @unchecked Sendable {
    private var text: moya_text

    /// Takes ownership of the text, which is overwritten when it is freed.
    init(taking text: moya_text = moya_text()) { self.text = text }

    deinit { moya_text_free(text) }

    var isEmpty: Bool { text.length == 0 }

    /// Adds the certificates of a value, before the text is shared; returns their number, negative if one is malformed.
    func append(_ certificates: Data) -> Int {
        certificates.withUnsafeBytes { bytes in
            guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return 0 }
            return Int(moya_certificates_read(base, bytes.count, &text))
        }
    }

    /// Sets an option to the text; `false` if libcurl lacks the option.
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> Bool {
        var blob = curl_blob(data: text.bytes, len: text.length, flags: UInt32(CURL_BLOB_NOCOPY))
        return moya_easy_set_pointer(easy, option, &blob) == CURLE_OK
    }
}
#endif

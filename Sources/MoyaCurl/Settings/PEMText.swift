#if os(Linux)
import CMoyaCurl

/// Certificates or a key in PEM form in memory that libcurl reads in place: handles refer to it without copying.
///
/// `@unchecked`: the bytes are immutable, and freed with the last reference.
final class PEMText: @unchecked Sendable {
    private let text: moya_text

    /// Takes ownership of the text, which is overwritten when it is freed.
    init(taking text: moya_text) { self.text = text }

    deinit { moya_text_free(text) }

    /// Sets an option to the text; `false` if libcurl lacks the option.
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> Bool {
        var blob = curl_blob(data: text.bytes, len: text.length, flags: UInt32(CURL_BLOB_NOCOPY))
        return moya_easy_set_pointer(easy, option, &blob) == CURLE_OK
    }
}
#endif

#if os(Linux)
import CMoyaCurl

/// Certificates or a key in PEM form, where libcurl reads them: handles refer to them and copy nothing.
///
/// `@unchecked`: the bytes are never changed, and given back with the last reference.
final class PEMText: @unchecked Sendable {
    private let text: moya_text

    /// Takes the text over, which is overwritten when it is no longer needed.
    init(taking text: moya_text) { self.text = text }

    deinit { moya_text_free(text) }

    var isEmpty: Bool { text.length == 0 }

    /// Sets an option to the text; `false` when libcurl does not have the option.
    func set(_ option: CURLoption, on easy: UnsafeMutableRawPointer) -> Bool {
        var blob = curl_blob(data: text.bytes, len: text.length, flags: UInt32(CURL_BLOB_NOCOPY))
        return moya_easy_set_pointer(easy, option, &blob) == CURLE_OK
    }
}
#endif

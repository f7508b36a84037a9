extension String {
    /// Makes a string from bytes; `nil` if they are not valid UTF-8.
    ///
    /// The standard library's own initializer requires iOS 18. Decoding replaces invalid bytes with U+FFFD, so the
    /// bytes of the resulting text differ from invalid input.
    @inlinable
    package init?(validUTF8 bytes: some Collection<UInt8>) {
        let text = String(decoding: bytes, as: UTF8.self)
        let isEqual = bytes.withContiguousStorageIfAvailable { bytes in
            text.utf8.withContiguousStorageIfAvailable { text in
                guard bytes.count == text.count else { return false }
                for index in 0..<bytes.count where bytes[index] != text[index] { return false }
                return true
            }
        }
        guard (isEqual ?? nil) ?? text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}

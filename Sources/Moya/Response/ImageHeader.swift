#if !canImport(UIKit) && !canImport(AppKit)
import Foundation

/// The format and size in the header of an image.
struct ImageHeader {
    let format: Image.Format
    let size: CGSize

    init?(_ data: Data) {
        guard let header = data.withUnsafeBytes({ Self.header(Bytes(data: $0)) }) else { return nil }
        self = header
    }

    private static func header(_ bytes: Bytes) -> ImageHeader? {
        if bytes.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
            return ImageHeader(.png, png(bytes))
        } else if bytes.has([0xFF, 0xD8, 0xFF], at: 0) {
            return ImageHeader(.jpeg, jpeg(bytes))
        } else if bytes.has("GIF87a".utf8, at: 0) || bytes.has("GIF89a".utf8, at: 0) {
            return ImageHeader(.gif, gif(bytes))
        } else if bytes.has("RIFF".utf8, at: 0), bytes.has("WEBP".utf8, at: 8) {
            return ImageHeader(.webP, webP(bytes))
        }
        return nil
    }

    private init?(_ format: Image.Format, _ size: CGSize?) {
        guard let size else { return nil }
        self.format = format
        self.size = size
    }

    /// The IHDR chunk comes first (PNG specification, section 11.2.2).
    private static func png(_ bytes: Bytes) -> CGSize? {
        bytes.has("IHDR".utf8, at: 12) ? size(bytes.bigEndian(4, at: 16), bytes.bigEndian(4, at: 20)) : nil
    }

    /// The logical screen descriptor follows the signature (GIF89a, section 18).
    private static func gif(_ bytes: Bytes) -> CGSize? {
        size(bytes.littleEndian(2, at: 6), bytes.littleEndian(2, at: 8))
    }

    /// The maximum number of segments and fill bytes before the size of a JPEG image.
    private static let mostSteps = 65_536

    /// The size is in the start-of-frame segment, which other segments may precede (ITU T.81, section B.2.2).
    private static func jpeg(_ bytes: Bytes) -> CGSize? {
        var offset = 2
        for _ in 0..<mostSteps {
            guard bytes.has([0xFF], at: offset), let marker = bytes.bigEndian(1, at: offset + 1) else { return nil }
            // A marker may be preceded by any number of fill bytes.
            if marker == 0xFF {
                offset += 1
                continue
            }
            let isFrame = (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
            if isFrame { return size(bytes.bigEndian(2, at: offset + 7), bytes.bigEndian(2, at: offset + 5)) }
            guard let length = bytes.bigEndian(2, at: offset + 2), length >= 2 else { return nil }
            offset += 2 + length
        }
        return nil
    }

    /// Three kinds of first chunk (RFC 9649, sections 2.5 to 2.7).
    private static func webP(_ bytes: Bytes) -> CGSize? {
        if bytes.has("VP8X".utf8, at: 12) {
            return size(bytes.littleEndian(3, at: 24).map { $0 + 1 }, bytes.littleEndian(3, at: 27).map { $0 + 1 })
        }
        if bytes.has("VP8L".utf8, at: 12) {
            guard bytes.has([0x2F], at: 20), let bits = bytes.littleEndian(4, at: 21) else { return nil }
            return size((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1)
        }
        guard bytes.has("VP8 ".utf8, at: 12), bytes.has([0x9D, 0x01, 0x2A], at: 23) else { return nil }
        let (width, height) = (bytes.littleEndian(2, at: 26), bytes.littleEndian(2, at: 28))
        return size(width.map { $0 & 0x3FFF }, height.map { $0 & 0x3FFF })
    }

    private static func size(_ width: Int?, _ height: Int?) -> CGSize? {
        guard let width, let height, width > 0, height > 0 else { return nil }
        return CGSize(width: width, height: height)
    }
}

/// A reader that never reads beyond the end of its bytes.
private struct Bytes {
    let data: UnsafeRawBufferPointer

    func has(_ expected: some Collection<UInt8>, at offset: Int) -> Bool {
        bytes(expected.count, at: offset)?.elementsEqual(expected) ?? false
    }

    func bigEndian(_ count: Int, at offset: Int) -> Int? {
        bytes(count, at: offset)?.reduce(0) { $0 << 8 | Int($1) }
    }

    func littleEndian(_ count: Int, at offset: Int) -> Int? {
        bytes(count, at: offset)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func bytes(_ count: Int, at offset: Int) -> Slice<UnsafeRawBufferPointer>? {
        offset >= 0 && offset + count <= data.count ? data[offset..<offset + count] : nil
    }
}
#endif

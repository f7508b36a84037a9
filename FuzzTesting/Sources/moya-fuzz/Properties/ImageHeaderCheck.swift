import Foundation

@testable import Moya

/// The first bytes of an image, and images of a size from the bytes, read back.
@Sendable func checkImageHeader(_ bytes: [UInt8]) throws {
    #if !canImport(UIKit) && !canImport(AppKit)
    let image = Image(data: Data(bytes))
    // The position of the bytes in memory, and the bytes after them, do not matter.
    let slice = (Data([0xFF, 0xD8, 0xFF]) + Data(bytes)).dropFirst(3)
    try expect(Image(data: slice)?.size == image?.size, "a slice is another image")
    if let image {
        try expect(image.size.width > 0 && image.size.height > 0, "an image of \(image.size)")
        try expect(image.size.width <= 0xFFFF_FFFF && image.size.height <= 0xFFFF_FFFF, "an image of \(image.size)")
        let longer = Image(data: Data(bytes + [0, 0xFF, 0xD8]))
        try expect(longer?.size == image.size, "more bytes make \(String(describing: longer?.size)) of \(image.size)")
    }
    var input = FuzzInput(bytes)
    let width = input.number(below: 256) << 6 | input.number(below: 64)
    let height = input.number(below: 256) << 6 | input.number(below: 64)
    for (format, data) in images(width: width, height: height, padding: input.counted()) {
        let read = Image(data: Data(data))
        guard width > 0, height > 0 else {
            try expect(read == nil, "an image of no size: \(String(describing: read?.size))")
            continue
        }
        try expect(read?.format == format, "\(format) is read as \(String(describing: read?.format))")
        try expect(
            read?.size == CGSize(width: width, height: height),
            "\(format) of \(width) by \(height) is read as \(String(describing: read?.size))")
    }
    #endif
}

#if !canImport(UIKit) && !canImport(AppKit)
/// Image headers for a size of at most 14 bits in each dimension, by their specifications.
private func images(width: Int, height: Int, padding: [UInt8]) -> [(Image.Format, [UInt8])] {
    func bytes(_ number: Int, _ count: Int, bigEndian: Bool) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
        return bigEndian ? bytes.reversed() : bytes
    }
    let png =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
        + bytes(width, 4, bigEndian: true) + bytes(height, 4, bigEndian: true) + [8, 6, 0, 0, 0]
    let gif = Array("GIF89a".utf8) + bytes(width, 2, bigEndian: false) + bytes(height, 2, bigEndian: false)
    let comment = [0xFF, 0xFE] + bytes(padding.count + 2, 2, bigEndian: true) + padding
    let jpeg =
        [0xFF, 0xD8] + comment + [0xFF, 0xFF, 0xC2, 0, 17, 8] + bytes(height, 2, bigEndian: true)
        + bytes(width, 2, bigEndian: true)
    let lossy =
        Array("RIFF".utf8) + [0, 0, 0, 0] + Array("WEBPVP8 ".utf8) + [0, 0, 0, 0, 0, 0, 0, 0x9D, 0x01, 0x2A]
        + bytes(width, 2, bigEndian: false) + bytes(height, 2, bigEndian: false)
    return [(.png, png), (.gif, gif), (.jpeg, jpeg), (.webP, lossy)]
}
#endif

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension HTTPURLResponse {
    /// The encoding in the `charset` of `Content-Type`; `nil` without one, or an unknown one.
    var statedEncoding: String.Encoding? {
        guard let type = value(forHTTPHeaderField: "Content-Type"),
            let charset = HeaderParameters.parse(type)["charset"]?.lowercased()
        else { return nil }
        return switch charset {
        case "utf-8", "utf8": .utf8
        case "us-ascii", "ascii": .ascii
        case "iso-8859-1", "latin1": .isoLatin1
        case "iso-8859-2": .isoLatin2
        case "windows-1250": .windowsCP1250
        case "windows-1251": .windowsCP1251
        case "windows-1252": .windowsCP1252
        case "windows-1253": .windowsCP1253
        case "windows-1254": .windowsCP1254
        case "utf-16": .utf16
        case "utf-16be": .utf16BigEndian
        case "utf-16le": .utf16LittleEndian
        case "shift_jis": .shiftJIS
        case "euc-jp": .japaneseEUC
        case "iso-2022-jp": .iso2022JP
        default: Self.coreFoundationNumber(of: charset).map { String.Encoding(rawValue: 0x8000_0000 | $0) }
        }
    }

    /// Core Foundation's number of an encoding for which `String.Encoding` has no name, on every platform.
    private static func coreFoundationNumber(of charset: String) -> UInt? {
        switch charset {
        // The last of them contains the others.
        case "gb2312", "gbk", "gb18030": 0x632
        case "big5": 0xA03
        case "euc-kr", "ks_c_5601-1987": 0x940
        case "koi8-r": 0xA02
        case "koi8-u": 0xA08
        case "windows-874", "tis-620": 0x41D
        case "windows-1255": 0x505
        case "windows-1256": 0x506
        case "windows-1257": 0x507
        case "windows-1258": 0x508
        default:
            switch UInt(charset.hasPrefix("iso-8859-") ? charset.dropFirst(9) : "") {
            case let part? where (3...16).contains(part) && part != 12: 0x200 + part
            default: nil
            }
        }
    }
}

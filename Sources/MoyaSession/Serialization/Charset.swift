import Foundation

/// The names of encodings in header fields (RFC 9110 section 8.3.2), both to read and to print them.
enum Charset {
    /// The encoding of a name in lower case; `nil` for an unknown one.
    static func encoding(named name: String) -> String.Encoding? {
        table.first { $0.names.contains(name) }?.encoding
    }

    /// The usual name of an encoding, or Foundation's description, which may be a number.
    static func name(of encoding: String.Encoding) -> String {
        table.first { $0.encoding == encoding }?.names.first ?? "\(encoding)"
    }

    private typealias Row = (names: [String], encoding: String.Encoding)

    /// The names of each encoding, the usual one first.
    private static let table: [Row] = foundationRows + coreFoundationRows + isoRows

    private static let foundationRows: [Row] = [
        (["utf-8", "utf8"], .utf8), (["us-ascii", "ascii"], .ascii), (["iso-8859-1", "latin1"], .isoLatin1),
        (["iso-8859-2"], .isoLatin2), (["windows-1250"], .windowsCP1250), (["windows-1251"], .windowsCP1251),
        (["windows-1252"], .windowsCP1252), (["windows-1253"], .windowsCP1253), (["windows-1254"], .windowsCP1254),
        (["utf-16"], .utf16), (["utf-16be"], .utf16BigEndian), (["utf-16le"], .utf16LittleEndian),
        (["shift_jis"], .shiftJIS), (["euc-jp"], .japaneseEUC), (["iso-2022-jp"], .iso2022JP),
    ]

    private static let coreFoundationRows: [Row] = [
        // The encoding of the first name contains those of the others.
        (["gb18030", "gbk", "gb2312"], coreFoundation(0x632)), (["big5"], coreFoundation(0xA03)),
        (["euc-kr", "ks_c_5601-1987"], coreFoundation(0x940)), (["koi8-r"], coreFoundation(0xA02)),
        (["koi8-u"], coreFoundation(0xA08)), (["windows-874", "tis-620"], coreFoundation(0x41D)),
        (["windows-1255"], coreFoundation(0x505)), (["windows-1256"], coreFoundation(0x506)),
        (["windows-1257"], coreFoundation(0x507)), (["windows-1258"], coreFoundation(0x508)),
    ]

    private static let isoRows: [Row] = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16].map { part in
        (["iso-8859-\(part)"], coreFoundation(0x200 + part))
    }

    /// An encoding for which `String.Encoding` has no name, by Core Foundation's number on every platform.
    private static func coreFoundation(_ number: UInt) -> String.Encoding {
        String.Encoding(rawValue: 0x8000_0000 | number)
    }
}

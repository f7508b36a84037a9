import Foundation

@testable import MoyaSession
@testable import MoyaTransport

/// Names of fields, members and items: one verdict, and the same in every form of text.
@Sendable func checkSecretName(_ bytes: [UInt8]) throws {
    let name = String(decoding: bytes, as: UTF8.self)
    let shown = name.debugDescription
    let isSecret = SecretNames.contains(name)
    let hasLetters = name.utf8.contains { $0 >= 0x80 || ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A }
    try expect(hasLetters || !isSecret, "\(shown) holds no word, and is a secret's")
    if name.utf8.allSatisfy({ $0 < 0x80 }) {
        let isSecretInSmall = SecretNames.contains(name.lowercased())
        try expect(isSecretInSmall == SecretNames.contains(name.uppercased()), "the case of \(shown) counts")
    }
    for longer in ["\(name)Password", "\(name)_token", "client-secret.\(name)", "sessionid[\(name)]"] {
        try expect(SecretNames.contains(longer), "\(longer.debugDescription) is shown")
    }

    let mask = SecretMask.standard
    let field = mask.value("zq7", ofField: name)
    try expect(field == (isSecret ? SecretMask.text : "zq7"), "the field \(shown) is shown as \(field)")
    guard isSecret, let quoted = try? JSONEncoder().encode(name) else { return }
    let item = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let forms = [
        mask.body(Data("{".utf8) + quoted + Data(":\"zq7\"}".utf8)),
        mask.body(Data("a=b&\(item)=zq7&c=d".utf8)),
        Data(mask.url("https://example.com/?a=b&\(item)=zq7").utf8),
        Data(mask.url("https://example.com/#\(item)=zq7").utf8),
    ]
    for form in forms {
        let text = String(decoding: form, as: UTF8.self)
        try expect(!text.contains("zq7"), "\(text) shows the value of \(shown)")
    }
}

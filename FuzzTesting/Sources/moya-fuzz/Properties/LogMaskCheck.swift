import Foundation

@testable import Moya
@testable import MoyaSession

/// A body, as JSON or as a form, of which the log must not show the secrets.
@Sendable func checkLogMask(_ bytes: [UInt8]) throws {
    let mask = LogMask { LogMask.looksLikeSecret($0) }
    let data = Data(bytes)
    let masked = mask.body(data)
    let text = String(decoding: masked, as: UTF8.self)
    try expect(mask.body(masked) == masked, "\(text) is masked again")

    let isJSON = !data.contains(0) && (try? JSONSerialization.jsonObject(with: data)) != nil
    if isJSON, let first = data.first, first == 0x7B || first == 0x5B {
        let shown = try? JSONSerialization.jsonObject(with: masked)
        try expect(shown != nil, "\(text) is no JSON any more")
        if let shown { try checkShown(shown, secret: false) }
    }

    // The secret of a form is whatever follows the first equals sign, up to the next ampersand.
    let value = bytes.filter { $0 != 0x26 && $0 != 0x0A && $0 != 0x0D }
    guard let secret = String(validating: value, as: UTF8.self), !secret.isEmpty else { return }
    let form = Data("user=me&password=".utf8) + Data(value) + Data("&next=1".utf8)
    let shown = String(decoding: mask.body(form), as: UTF8.self)
    guard !hasLineBreak(secret) else { return }
    try expect(shown.utf8.elementsEqual("user=me&password=<masked>&next=1".utf8), "\(shown) shows a password")
    // A query ends at the first number sign, and what follows may hold secrets in the same form.
    guard !secret.utf8.contains(UInt8(ascii: "#")) else { return }
    for sign in ["?", "#"] {
        let url = mask.url("https://me:word@example.com/\(sign)access_token=\(secret)")
        let isMasked = url.utf8.elementsEqual("https://<masked>@example.com/\(sign)access_token=<masked>".utf8)
        try expect(isMasked, "\(url) shows a token")
    }
}

/// A body of several lines is no form.
private func hasLineBreak(_ text: String) -> Bool {
    text.unicodeScalars.contains { [0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029].contains($0.value) }
}

/// Nothing but the mask, or nothing at all, is under a secret key.
private func checkShown(_ json: Any, secret: Bool) throws {
    if secret {
        let isHidden = json is NSNull || (json as? String) == SecretMask.text
        try expect(isHidden, "\(json) is shown")
        return
    }
    if let object = json as? [String: Any] {
        for (key, value) in object { try checkShown(value, secret: LogMask.looksLikeSecret(key)) }
    } else if let array = json as? [Any] {
        for element in array { try checkShown(element, secret: false) }
    }
}

import Foundation

@testable import Moya
@testable import MoyaSession
@testable import MoyaTransport

/// Checks that the mask shows no secrets of text in every form.
@Sendable func checkLogMask(_ bytes: [UInt8]) throws {
    let mask = SecretMask.standard
    let data = Data(bytes)
    let masked = mask.body(data)
    let text = String(decoding: masked, as: UTF8.self)

    let isJSON = !data.contains(0) && (try? JSONSerialization.jsonObject(with: data)) != nil
    if isJSON, let first = data.first, first == 0x7B || first == 0x5B {
        let shown = try? JSONSerialization.jsonObject(with: masked)
        try expect(shown != nil, "\(text) is no JSON any more")
        if let shown { try checkShown(shown, secret: false) }
        try expect(mask.body(masked) == masked, "\(text) is masked again")
    }
    _ = mask.text(String(decoding: bytes, as: UTF8.self))

    // The secret of a form is the text from the first equals sign to the next ampersand.
    let value = bytes.filter { $0 != 0x26 && $0 != 0x0A && $0 != 0x0D }
    let secret = String(decoding: value, as: UTF8.self)
    guard !secret.isEmpty, secret.utf8.elementsEqual(value) else { return }
    let form = Data("user=me&password=".utf8) + Data(value) + Data("&next=1".utf8)
    let shown = String(decoding: mask.body(form), as: UTF8.self)
    try expect(shown.utf8.elementsEqual("user=me&password=<masked>&next=1".utf8), "\(shown) shows a password")
    try checkQuoted(secret, mask)
    try checkDescription(secret, mask)
    try checkMultipart(secret, mask)
    try checkCommand(secret, form)
    // A query ends at the first number sign, and the rest may contain secrets in the same form.
    guard !secret.utf8.contains(UInt8(ascii: "#")) else { return }
    for sign in ["?", "#"] {
        let url = mask.url("https://me:word@example.com/\(sign)access_token=\(secret)")
        let isMasked = url.utf8.elementsEqual("https://<masked>@example.com/\(sign)access_token=<masked>".utf8)
        try expect(isMasked, "\(url) shows a token")
    }
}

/// A secret as a value of JSON, before and after its name, and in JSON within a string, as in a log.
private func checkQuoted(_ secret: String, _ mask: SecretMask) throws {
    guard let quoted = jsonText(secret) else { return }
    let objects = [
        (#"{"a":1,"password":\#(quoted)}"#, #"{"a":1,"password":"<masked>"}"#),
        (#"{"name":"otp","value":\#(quoted)}"#, #"{"name":"otp","value":"<masked>"}"#),
        (#"{"value":\#(quoted),"name":"otp"}"#, #"{"value":"<masked>","name":"otp"}"#),
    ]
    for (object, expected) in objects {
        let shown = String(decoding: mask.body(Data(object.utf8)), as: UTF8.self)
        try expect(shown.utf8.elementsEqual(expected.utf8), "\(shown) shows a password")
        guard let inner = jsonText(object), let expected = jsonText(expected) else { continue }
        let outer = String(decoding: mask.body(Data("{\"log\":\(inner)}".utf8)), as: UTF8.self)
        try expect(outer.utf8.elementsEqual("{\"log\":\(expected)}".utf8), "\(outer) shows a password")
        let prose = mask.text("It failed: \(inner)")
        try expect(prose.utf8.elementsEqual("It failed: \(expected)".utf8), "\(prose) shows a password")
    }
}

/// A secret in the description of a Swift value.
private func checkDescription(_ secret: String, _ mask: SecretMask) throws {
    for value in [String(reflecting: secret), String(reflecting: Optional(secret)), String(reflecting: [[secret]])] {
        let shown = mask.text("Login(page: 2, password: [\(value)], next: 1)")
        let isMasked = shown.utf8.elementsEqual("Login(page: 2, password: <masked>, next: 1)".utf8)
        try expect(isMasked, "\(shown) shows a password")
    }
}

/// A secret as a part of a multipart form.
private func checkMultipart(_ secret: String, _ mask: SecretMask) throws {
    let head = "--boundary\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n"
    let shown = String(decoding: mask.body(Data("\(head)\(secret)\r\n--boundary--\r\n".utf8)), as: UTF8.self)
    try expect(shown.utf8.elementsEqual("\(head)<masked>\r\n--boundary--\r\n".utf8), "\(shown) shows a password")
}

/// A secret in the URL, a field and the body of a curl command.
private func checkCommand(_ secret: String, _ form: Data) throws {
    let item = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    let command = CURLDescription.text(
        method: "POST", url: URL(string: "https://example.com/?access_token=\(item)"),
        headers: [HTTPHeader(name: "X-Api-Key", value: secret), HTTPHeader(name: "Cookie", value: secret)], body: form,
        credential: (secret, secret))
    let expected = [
        "$ curl -v", "-X POST", "-u \"<masked>\"", "-b \"<masked>\"", "-H \"X-Api-Key: <masked>\"",
        "-d \"user=me&password=<masked>&next=1\"", "\"https://example.com/?access_token=<masked>\"",
    ].joined(separator: " \\\n\t")
    try expect(command.utf8.elementsEqual(expected.utf8), "\(command) shows a secret")
}

private func jsonText(_ text: String) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) }
}

/// A secret key has only the mask, or no value.
private func checkShown(_ json: Any, secret: Bool) throws {
    if secret {
        let isHidden = json is NSNull || (json as? String) == SecretMask.text
        try expect(isHidden, "\(json) is shown")
        return
    }
    if let object = json as? [String: Any] {
        for (key, value) in object { try checkShown(value, secret: SecretNames.contains(key)) }
    } else if let array = json as? [Any] {
        for element in array { try checkShown(element, secret: false) }
    }
}

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
    guard !secret.isEmpty, secret.utf8.elementsEqual(value), !isHarmless(secret) else { return }
    let form = Data("user=me&password=".utf8) + Data(value) + Data("&next=1".utf8)
    let shown = String(decoding: mask.body(form), as: UTF8.self)
    try expect(shown.utf8.elementsEqual("user=me&password=<masked>&next=1".utf8), "\(shown) shows a password")
    try checkQuoted(secret, mask)
    try checkDescription(secret, mask)
    try checkMultipart(secret, mask)
    try checkMarkup(secret, mask)
    try checkFields(secret, mask)
    try checkLines(secret, mask)
    try checkUserInformation(secret, mask)
    try checkCommand(secret, form)
    // A query ends at the first number sign, and the rest may contain secrets in the same form.
    guard !secret.utf8.contains(UInt8(ascii: "#")) else { return }
    for sign in ["?", "#"] {
        let url = mask.url("https://me:word@example.com/\(sign)access_token=\(secret)")
        let isMasked = url.utf8.elementsEqual("https://<masked>@example.com/\(sign)access_token=<masked>".utf8)
        try expect(isMasked, "\(url) shows a token")
    }
}

/// `true` for what may be shown under any name that denotes a secret: a flag, or the code of an error.
private func isHarmless(_ value: String) -> Bool {
    let trimmed = value.trimmingCharacters(in: .whitespacesAndNewlines)
    return SecretMask.isHarmless(trimmed, ofField: "password") || SecretMask.isHarmless(trimmed, ofField: "code")
}

/// A secret as a value of JSON, before and after its name, and in JSON within a string, as in a log.
private func checkQuoted(_ secret: String, _ mask: SecretMask) throws {
    guard let quoted = jsonText(secret) else { return }
    let objects = [
        (#"{"a":1,"password":\#(quoted)}"#, #"{"a":1,"password":"<masked>"}"#),
        (#"{"name":"otp","value":\#(quoted)}"#, #"{"name":"otp","value":"<masked>"}"#),
        (#"{"value":\#(quoted),"name":"otp"}"#, #"{"value":"<masked>","name":"otp"}"#),
    ]
    for (object, masked) in objects {
        for (start, end) in [("", ""), ("\u{FEFF}", ""), (")]}'\n", ""), ("while(1);", ""), ("callback(", ")")] {
            let shown = String(decoding: mask.body(Data("\(start)\(object)\(end)".utf8)), as: UTF8.self)
            try expect(shown.utf8.elementsEqual("\(start)\(masked)\(end)".utf8), "\(shown) shows a password")
        }
        guard let inner = jsonText(object), let expected = jsonText(masked) else { continue }
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

/// A secret as the content and as an attribute of an XML element.
///
/// After a backslash, a quotation mark may be a part of a string or end an attribute: the rest of the tag is masked.
private func checkMarkup(_ secret: String, _ mask: SecretMask) throws {
    let entities: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
    let text = secret.unicodeScalars.map { entities[$0] ?? "\($0)" }.joined()
    if secret.hasSuffix("\\") {
        let shown = mask.text("<a password=\"\(text)\" token=\"hunter2Zq9\"/>")
        return try expect(!shown.contains("hunter2Zq9"), "\(shown) shows a token")
    }
    for (markup, expected) in [
        ("<a><password>\(text)</password><b>1</b></a>", "<a><password><masked></password><b>1</b></a>"),
        ("<x:password a=\"\(text)\"/><b>1</b>", "<x:password <masked>/><b>1</b>"),
        ("<a b=\"1\" password=\"\(text)\" c=\"2\"/>", "<a b=\"1\" password=\"<masked>\" c=\"2\"/>"),
    ] {
        let shown = String(decoding: mask.body(Data(markup.utf8)), as: UTF8.self)
        try expect(shown.utf8.elementsEqual(expected.utf8), "\(shown) shows a password")
    }
}

/// A secret in the value of a header field, whole or within a URL.
private func checkFields(_ secret: String, _ mask: SecretMask) throws {
    let item = percentEncoded(secret)
    for (name, value, expected) in [
        ("Set-Cookie", "sid=\(secret); Path=/", "<masked>"), ("X-Api-Key", secret, "<masked>"),
        ("Location", "/next?code=\(item)&a=1", "/next?code=<masked>&a=1"),
        ("Location", "https://example.com/#access_token=\(item)", "https://example.com/#access_token=<masked>"),
        ("Link", "<https://example.com/?token=\(item)>; rel=next", "<https://example.com/?token=<masked> rel=next"),
        ("Refresh", "0; url=https://example.com/?token=\(item)", "0; url=https://example.com/?token=<masked>"),
    ] {
        let shown = mask.value(value, ofField: name)
        try expect(shown.utf8.elementsEqual(expected.utf8), "\(name): \(shown) shows a secret")
    }
}

/// A secret in a line of fields or of variables; text after its quotation marks is not part of it.
private func checkLines(_ secret: String, _ mask: SecretMask) throws {
    let value = String(secret.unicodeScalars.drop { " \t\"'".unicodeScalars.contains($0) })
    let word = String(secret.unicodeScalars.filter { $0.value > 0x20 && !"\"'([{>".unicodeScalars.contains($0) })
    for (value, lines, expected) in [
        (value, "page: 1\npassword: \(value)\nnext: 2\n", "page: 1\npassword: <masked>\nnext: 2\n"),
        (value, "page: 1\r\nX-Api-Key: \(value)\r\nnext: 2\r\n", "page: 1\r\nX-Api-Key: <masked>\r\nnext: 2\r\n"),
        (word, "PAGE=1\nDB_PASSWORD=\(word)\nNEXT=2\n", "PAGE=1\nDB_PASSWORD=<masked>\nNEXT=2\n"),
    ] where !value.isEmpty {
        let shown = mask.text(lines)
        try expect(shown.utf8.elementsEqual(expected.utf8), "\(shown) shows a password")
    }
}

/// A secret as the password of a URL, in a URL and in prose.
private func checkUserInformation(_ secret: String, _ mask: SecretMask) throws {
    let url = "https://me:\(percentEncoded(secret))@example.com/a"
    try expect(mask.url(url) == "https://<masked>@example.com/a", "\(mask.url(url)) shows a password")
    let shown = mask.text("see \(url), and next")
    try expect(shown == "see https://<masked>@example.com/a, and next", "\(shown) shows a password")
}

/// A secret in the URL, a field and the body of a curl command.
private func checkCommand(_ secret: String, _ form: Data) throws {
    let item = percentEncoded(secret)
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

private func percentEncoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
}

private func jsonText(_ text: String) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) }
}

/// A secret key has only the mask, or no value.
private func checkShown(_ json: Any, secret: Bool) throws {
    if secret {
        // Flags, counts and the codes of errors are shown.
        let isHidden =
            json is NSNull || json is NSNumber
            || (json as? String).map { $0 == SecretMask.text || isHarmless($0) } == true
        try expect(isHidden, "\(json) is shown")
        return
    }
    if let object = json as? [String: Any] {
        for (key, value) in object { try checkShown(value, secret: SecretNames.contains(key)) }
    } else if let array = json as? [Any] {
        for element in array { try checkShown(element, secret: false) }
    }
}

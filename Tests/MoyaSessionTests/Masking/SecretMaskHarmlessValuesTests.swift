import Foundation
import MoyaTransport
import Testing

/// Values that are no secrets, whatever their names.
@Suite struct SecretMaskHarmlessValuesTests {
    private let mask = SecretMask.standard

    private func body(_ text: String) -> String { String(decoding: mask.body(Data(text.utf8)), as: UTF8.self) }

    @Test(arguments: [
        #"{"has_password":true,"auth_required":false,"token":null}"#,
        #"{"usage":{"prompt_tokens":9,"total_tokens" : 21}}"#,
        #"{"session_timeout":30,"pin_count":5,"token_ttl":-1,"sessionLength":7}"#,
        #"{"error":{"code":404,"message":"x"}}"#,
        #"{"error":{"code":-32601}}"#, #"{"token_type":"Bearer","tokenType":"x"}"#,
        #"{"token_endpoint":"https://a/t","authorizationEndpoint":"https://a/?page=2"}"#,
        "remember_token=true&max_tokens=5",
        "remember_token=true", "{User:bob HasToken:true}", "Account(hasPassword: true, tokenCount: 2)",
        "has_password: false\nmax_tokens: 100", "[has_token] => true", #"{"name":"remember_token","value":true}"#,
        "https://a/?remember_token=true&page=2", "<has_password>true</has_password>", "has_token=true",
        "x has_token=true page=2",
    ]) func leavesHarmlessValuesReadable(text: String) {
        #expect(body(text) == text)
        #expect(mask.text(text) == text)
    }

    @Test(arguments: [
        ("Access-Control-Allow-Credentials", "true"), ("X-RateLimit-Limit-Tokens", "100"), ("X-Session-Timeout", "30"),
    ]) func leavesHarmlessFieldsReadable(name: String, value: String) {
        #expect(mask.value(value, ofField: name) == value)
    }

    @Test(arguments: [
        #"{"code":1234}"#, #"{"code":"404"}"#, #"{"code":"card_declined"}"#, #"{"pin":123}"#, #"{"tokens":["12"]}"#,
        #"{"password":"true"}"#, #"{"token":12}"#, "token=trueish", "token=true/x", "password=true story",
        "password: true story", #"{"session_count":"a12"}"#, "max_tokens=5a", "code=1234", "password=true%20x",
        #"{"token_types_key":"x","api_key":"y"}"#,
    ]) func masksOtherValues(text: String) {
        #expect(body(text).contains("<masked>"), "\(body(text))")
    }

    @Test(arguments: [
        ("Authorization", "12"), ("X-Api-Key", "true x"), ("X-Token-Count", "12 a"), ("Cookie", "true=1"),
    ])
    func masksOtherFields(name: String, value: String) {
        #expect(mask.value(value, ofField: name) == "<masked>")
    }

    @Test func masksTheURLOfAnEndpoint() {
        #expect(body(#"{"token_endpoint":"https://a/?token=b"}"#) == #"{"token_endpoint":"https://a/?token=<masked>"}"#)
    }
}

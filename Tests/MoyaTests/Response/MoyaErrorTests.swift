import Foundation
import Moya
import Testing

@Suite struct MoyaErrorTests {
    private struct Cause: LocalizedError {
        var errorDescription: String? { "the cause" }
    }

    private enum Key: CodingKey { case user, name }

    private static let response = Response(statusCode: 200, data: Data())
    private static let cause = NSError(domain: "cause", code: 42, userInfo: [NSLocalizedDescriptionKey: "the cause"])

    /// Every case, in the order of its declaration, with whether it has a response and a cause, and its text.
    private static let cases: [(error: MoyaError, hasResponse: Bool, hasCause: Bool, text: String)] = [
        (.imageMapping(response), true, false, "Failed to map data to an Image."),
        (.jsonMapping(response), true, false, "Failed to map data to JSON."),
        (.stringMapping(response), true, false, "Failed to map data to a String."),
        (.objectMapping(cause, response), true, true, "Failed to map data to a Decodable object."),
        (.encodableMapping(cause), false, true, "Failed to encode Encodable object into data."),
        (.statusCode(response), true, false, "Status code didn't fall within the given range."),
        (.underlying(cause, response), true, true, "the cause"),
        (.requestMapping("url"), false, false, "Failed to map Endpoint to a URLRequest."),
        (.parameterEncoding(cause), false, true, "Failed to encode parameters for URLRequest. the cause"),
    ]

    @Test(arguments: cases.indices) func hasAResponseIfOneWasReceived(_ index: Int) {
        #expect((Self.cases[index].error.response === Self.response) == Self.cases[index].hasResponse)
    }

    @Test func underlyingMayHaveNoResponse() { #expect(MoyaError.underlying(Self.cause, nil).response == nil) }

    @Test(arguments: cases.indices) func hasACauseIfThereIsOne(_ index: Int) {
        #expect((Self.cases[index].error.underlyingError as NSError? == Self.cause) == Self.cases[index].hasCause)
    }

    @Test(arguments: cases.indices) func describesItself(_ index: Int) {
        #expect(Self.cases[index].error.localizedDescription == Self.cases[index].text)
    }

    @Test(arguments: cases.indices) func bridgedErrorCarriesTheDescription(_ index: Int) {
        let bridged = Self.cases[index].error as NSError
        #expect(bridged.userInfo[NSLocalizedDescriptionKey] as? String == Self.cases[index].text)
    }

    @Test(arguments: cases.indices) func bridgedErrorCarriesTheCauseWhereThereIsOne(_ index: Int) {
        let bridged = Self.cases[index].error as NSError
        #expect((bridged.userInfo[NSUnderlyingErrorKey] as? NSError == Self.cause) == Self.cases[index].hasCause)
    }

    @Test func userInfoHoldsNoValuesOfADecodingError() {
        let response = Response(statusCode: 200, data: Data(#"{"pin": "4711"}"#.utf8))
        let error = #expect(throws: MoyaError.self) { try response.map([String: Int].self) }
        let bridged = error.map { $0 as NSError }
        let underlying = bridged?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(underlying?.domain == NSCocoaErrorDomain)
        #expect(!(bridged?.userInfo[NSUnderlyingErrorKey] is DecodingError))
        #expect(error?.underlyingError is DecodingError)
    }

    @Test(arguments: cases.indices) func bridgedErrorHasNoKeyForACauseThatIsNotThere(_ index: Int) {
        let bridged = Self.cases[index].error as NSError
        #expect(bridged.userInfo.keys.contains(NSUnderlyingErrorKey) == Self.cases[index].hasCause)
    }

    @Test(arguments: cases.indices) func bridgedCodeIsThePlaceInTheDeclaration(_ index: Int) {
        #expect((Self.cases[index].error as NSError).code == index)
    }

    @Test(arguments: cases.indices) func bridgedDomainIsMoya(_ index: Int) {
        #expect((Self.cases[index].error as NSError).domain == "Moya.MoyaError")
    }

    @Test func failureReasonNamesTheValue() {
        let missing = DecodingError.keyNotFound(Key.name, .init(codingPath: [Key.user], debugDescription: "None."))
        let reasons = [
            MoyaError.statusCode(Response(statusCode: 404, data: Data())),
            .jsonMapping(Response(statusCode: 500, data: Data("<html>".utf8))), .requestMapping("http://a b"),
            .objectMapping(missing, Self.response), .encodableMapping(missing), .underlying(Cause(), nil),
        ].map { $0.failureReason ?? "none" }
        #expect(reasons[0].contains("404"))
        #expect(reasons[1].contains("6 bytes") && reasons[1].contains("500"))
        #expect(reasons[2].contains("http://a b"))
        #expect(reasons[3].contains("user") && reasons[3].contains("name"))
        #expect(reasons[4].contains("user") && reasons[4].contains("name"))
        #expect(reasons[5] == "none")
    }

    @Test(arguments: [("text/html; charset=utf-8", " of text/html"), ("a\"b", " of a"), ("", "")])
    func failureReasonTellsWhatABodyIsThatIsNoJSON(type: String, text: String) throws {
        let head = try #require(
            HTTPURLResponse(
                url: URL(string: "http://a/")!, statusCode: 200, httpVersion: nil, headerFields: ["Content-Type": type])
        )
        let response = Response(statusCode: 200, data: Data("<html>".utf8), response: head)
        let error = try #require(throws: MoyaError.self) { try response.map([String].self) }
        #expect(error.failureReason?.hasSuffix("The body has 6 bytes\(text), and the status code is 200.") == true)
    }

    @Test func noFormShowsAValueThatCannotBeDecoded() throws {
        enum Plan: String, Decodable { case free, paid }
        let response = Response(statusCode: 200, data: Data(#"{"plan":"4111-1111"}"#.utf8))
        let error = try #require(throws: MoyaError.self) { try response.map([String: Plan].self) }
        for form in ["\(error)", String(reflecting: error), error.failureReason ?? "", error.localizedDescription] {
            #expect(!form.contains("4111-1111"))
        }
        #expect(error.failureReason?.contains("plan") == true)
    }

    @Test func textOfAnAppsErrorIsKept() {
        let text = "Password: must have 8 characters"
        let error = NSError(domain: "app", code: 1, userInfo: [NSLocalizedDescriptionKey: text])
        #expect(MoyaError.underlying(error, nil).localizedDescription == text)
    }

    @Test func failureReasonMasksSecrets() {
        let reason = MoyaError.requestMapping("http://me:s3cr3t@a b").failureReason
        #expect(reason?.contains("s3cr3t") == false)
    }

    @Test func bridgedErrorHasTheFailureReason() {
        let bridged = MoyaError.statusCode(Response(statusCode: 404, data: Data())) as NSError
        #expect(bridged.localizedFailureReason == "The status code is 404.")
    }

    @Test func descriptionOfASwiftCauseIsKept() {
        #expect(MoyaError.underlying(Cause(), nil).localizedDescription == "the cause")
    }

    @Test func aSwiftCauseSurvivesTheBridge() {
        let bridged = MoyaError.parameterEncoding(Cause()) as NSError
        #expect(bridged.userInfo[NSUnderlyingErrorKey] is Cause)
    }
}

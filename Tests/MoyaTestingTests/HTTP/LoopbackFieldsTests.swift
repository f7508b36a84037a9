import Testing

@testable import MoyaTesting

@Suite struct LoopbackFieldsTests {
    @Test func aLiteralKeepsOrderAndDuplicates() {
        let fields: LoopbackFields = ["B": "1", "a": "2", "B": "3"]
        #expect(fields.map(\.description) == ["B: 1", "a: 2", "B: 3"])
    }

    @Test func aNameIsFoundInAnySpelling() {
        let fields: LoopbackFields = ["Set-Cookie": "a", "set-cookie": "b"]
        #expect(fields["SET-COOKIE"] == "a")
        #expect(fields.values(for: "SET-cookie") == ["a", "b"])
    }

    @Test func aNameThatIsNotThereHasNoValue() {
        #expect(LoopbackFields()["a"] == nil)
    }

    @Test(arguments: ["close", "Close", "keep-alive, close", "keep-alive ,\tCLOSE", "close;x=1"])
    func aTokenIsFoundInAList(_ value: String) {
        #expect((["connection": "x", "Connection": value] as LoopbackFields).lists("close", in: "Connection"))
    }

    @Test(arguments: ["closed", "not-close", "", "\"close\""])
    func anotherTokenIsNotFound(_ value: String) {
        #expect(!(["Connection": value] as LoopbackFields).lists("close", in: "Connection"))
    }
}

import Testing

@testable import MoyaSession

@Suite struct HeaderParametersTests {
    @Test(arguments: [
        ("attachment; filename=a.txt", "a.txt"),
        ("attachment;filename=a.txt;x=y", "a.txt"),
        ("attachment; FileName = a.txt ", "a.txt"),
        (#"attachment; filename="a; b.txt""#, "a; b.txt"),
        (#"attachment; filename="a\"b\\c""#, #"a"b\c"#),
        (#"attachment; filename="not closed"#, "not closed"),
        (#"attachment; x="filename=wrong;"; filename=right"#, "right"),
        (#"attachment; filename=first; filename=second"#, "first"),
        ("attachment; filename=two words.txt", "two words.txt"),
        (#"attachment; filename="a" junk; x=y"#, "a"),
        (#""odd; filename=no"; filename=yes"#, "yes"),
        ("filename=no; filename=yes", "yes"),
        ("attachment; filename; filename=yes", "yes"),
        ("attachment; filename=", ""),
    ])
    func aParameterIsFound(value: String, name: String) {
        #expect(HeaderParameters.parse(value)["filename"] == name)
    }

    @Test(arguments: ["", ";", ";;;", "attachment", "attachment;", "=", ";=", ";=x", "\"", ";\"\\"])
    func valueWithoutParametersHasNone(value: String) {
        #expect(HeaderParameters.parse(value)["filename"] == nil)
    }
}

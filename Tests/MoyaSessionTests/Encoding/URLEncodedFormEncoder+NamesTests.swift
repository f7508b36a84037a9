import Foundation
import MoyaSession
import Testing

@Suite struct URLEncodedFormEncoderNamesTests {
    // MARK: Arrays

    static let arrays: [(URLEncodedFormEncoder.ArrayEncoding, String)] = [
        (.brackets, "k[]=a&k[]=b"), (.noBrackets, "k=a&k=b"), (.indexInBrackets, "k[0]=a&k[1]=b"),
        (.custom { "\($0).\($1 + 1)" }, "k.1=a&k.2=b"),
    ]

    @Test(arguments: arrays.indices) func arraysHaveFourStyles(index: Int) throws {
        let (style, text) = Self.arrays[index]
        #expect(try form(["k": ["a", "b"]], .init(arrayEncoding: style)) == text)
    }

    static let arraysOfObjects: [(URLEncodedFormEncoder.ArrayEncoding, String)] = [
        (.brackets, "k[][x]=1&k[][x]=2"), (.noBrackets, "k[x]=1&k[x]=2"), (.indexInBrackets, "k[0][x]=1&k[1][x]=2"),
        (.custom { "\($0).\($1 + 1)" }, "k.1[x]=1&k.2[x]=2"),
    ]

    @Test(arguments: arraysOfObjects.indices) func objectsStandInArraysOfEachStyle(index: Int) throws {
        let (style, text) = Self.arraysOfObjects[index]
        #expect(try form(["k": [["x": 1], ["x": 2]]], .init(arrayEncoding: style)) == text)
    }

    @Test func arraysStandInArrays() throws {
        #expect(
            try form(["k": [[1], [2, 3]]], .init(arrayEncoding: .indexInBrackets)) == "k[0][0]=1&k[1][0]=2&k[1][1]=3")
    }

    @Test func emptyArraysMakeNoPairs() throws {
        #expect(try form(["a": [[Int]]([[]]), "b": [[1]]]) == "b[][]=1")
    }

    // MARK: Paths

    struct Deep: Encodable {
        struct Inner: Encodable {
            struct Innermost: Encodable { var c = [1] }
            var b = Innermost()
        }
        var a = Inner()
    }

    static let paths: [(URLEncodedFormEncoder.KeyPathEncoding, String)] = [
        (.brackets, "a[b][c][]=1"), (.dots, "a.b.c[]=1"), (.init { "-\($0.uppercased())" }, "a-B-C[]=1"),
    ]

    @Test(arguments: paths.indices) func pathsHaveThreeStyles(index: Int) throws {
        let (style, text) = Self.paths[index]
        #expect(try form(Deep(), .init(keyPathEncoding: style)) == text)
    }

    @Test func pathsInArraysHaveTheSameStyle() throws {
        #expect(
            try form(["k": [["x": 1]]], .init(arrayEncoding: .indexInBrackets, keyPathEncoding: .dots)) == "k[0].x=1")
    }

    // MARK: Names

    static let names: [(URLEncodedFormEncoder.KeyEncoding, [(String, String)])] = [
        (.useDefaultKeys, [("oneTwo", "oneTwo")]),
        (
            .convertToSnakeCase,
            [
                ("oneTwoThree", "one_two_three"), ("aURLString", "a_url_string"), ("URLString", "url_string"),
                ("one", "one"), ("One", "one"), ("oneTWO", "one_two"), ("isABool", "is_a_bool"),
                ("version2Beta", "version2_beta"), ("one_Two", "one_two"), ("_one", "_one"), ("", ""),
                ("größeÄndern", "größe_ändern"),
            ]
        ),
        (.convertToKebabCase, [("oneTwoThree", "one-two-three"), ("aURLString", "a-url-string")]),
        (.capitalized, [("oneTwo", "OneTwo"), ("", ""), ("élan", "Élan")]),
        (.uppercased, [("oneTwo", "ONETWO")]),
        (.lowercased, [("oneTwo", "onetwo")]),
        (.custom { "<\($0)>" }, [("oneTwo", "<oneTwo>")]),
    ]

    @Test(arguments: names.indices) func namesHaveSevenStyles(index: Int) throws {
        let (style, examples) = Self.names[index]
        for (name, text) in examples {
            #expect(try form([name: 1], .init(keyEncoding: style)) == "\(text)=1")
        }
    }

    static let wholePaths: [(URLEncodedFormEncoder.KeyEncoding, String)] = [
        (.convertToSnakeCase, "one_two[three_four][]=V"), (.convertToKebabCase, "one-two[three-four][]=V"),
        (.capitalized, "OneTwo[threeFour][]=V"), (.uppercased, "ONETWO[THREEFOUR][]=V"),
        (.lowercased, "onetwo[threefour][]=V"), (.custom { "<\($0)>" }, "<oneTwo[threeFour][]>=V"),
    ]

    @Test(arguments: wholePaths.indices) func styleIsThatOfTheWholePathAndLeavesValues(index: Int) throws {
        let (style, text) = Self.wholePaths[index]
        #expect(try form(["oneTwo": ["threeFour": ["V"]]], .init(keyEncoding: style)) == text)
    }
}

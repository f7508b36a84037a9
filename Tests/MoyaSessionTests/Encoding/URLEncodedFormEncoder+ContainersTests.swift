import Foundation
import MoyaSession
import Testing

/// Every way in which a type can encode itself.
@Suite struct URLEncodedFormEncoderContainersTests {
    private func pairs(_ value: any Encodable) throws -> String {
        try form(value, URLEncodedFormEncoder(alphabetizeKeyValuePairs: false))
    }

    class Base: Encodable {
        var one = 1
        var two = "2"
    }

    final class InheritedOnly: Base { var three = 3 }

    final class Sub: Base {
        var three = 3
        enum Keys: CodingKey { case three }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(three, forKey: .three)
        }
    }

    final class SubBelowSuper: Base {
        enum Keys: CodingKey { case three, parent }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(3, forKey: .three)
            try super.encode(to: container.superEncoder(forKey: .parent))
        }
    }

    @Test func classIsItsProperties() throws {
        #expect(try pairs(Base()) == "one=1&two=2")
    }

    @Test func subclassThatDoesNotEncodeIsItsSuperclass() throws {
        #expect(try pairs(InheritedOnly()) == "one=1&two=2")
    }

    @Test func subclassSharesTheContainerOfItsSuperclass() throws {
        #expect(try pairs(Sub()) == "one=1&two=2&three=3")
    }

    @Test func superEncoderWritesBesideTheKeysOfItsContainer() throws {
        #expect(try pairs(SubBelowSuper()) == "one=1&two=2&three=3&parent[one]=1&parent[two]=2")
    }

    @Test func superEncoderOfAValueIsReleased() throws {
        final class Witness: Sendable { let encoder = Weak() }
        final class Weak: @unchecked Sendable { weak var object: AnyObject? }
        struct Value: Encodable {
            let witness = Witness()
            enum Keys: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                let parent = container.superEncoder()
                witness.encoder.object = parent as AnyObject
                try [1, 2].encode(to: parent)
            }
        }
        let value = Value()
        #expect(try pairs(value) == "super[]=1&super[]=2")
        #expect(value.witness.encoder.object == nil)
    }

    @Test func superEncoderWritesNamesAfterNil() throws {
        struct Value: Encodable {
            enum Keys: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                let parent = container.superEncoder()
                var value = parent.singleValueContainer()
                try value.encodeNil()
                try Base().encode(to: parent)
                try container.encode(3, forKey: .a)
            }
        }
        #expect(try pairs(Value()) == "one=1&two=2&a=3")
    }

    @Test func superclassThatIsAValueIsUnderSuper() throws {
        struct Value: Encodable {
            enum Keys: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try 1.encode(to: container.superEncoder())
                try container.encode(2, forKey: .a)
            }
        }
        #expect(try pairs(Value()) == "super=1&a=2")
    }

    @Test func objectsOfOneKeyAreMerged() throws {
        struct Twice: Encodable {
            enum Keys: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(["b": ["c": 1]], forKey: .a)
                try container.encode(["b": ["d": 2]], forKey: .a)
                try ["e": 3].encode(to: container.superEncoder(forKey: .a))
            }
        }
        #expect(try pairs(Twice()) == "a[b][c]=1&a[b][d]=2&a[e]=3")
    }

    @Test func arraysOfOneKeyAreMerged() throws {
        struct Twice: Encodable {
            enum Keys: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode([1, 2], forKey: .a)
                try container.encode([3], forKey: .a)
            }
        }
        #expect(try pairs(Twice()) == "a[]=1&a[]=2&a[]=3")
    }

    @Test func lastValueOfOneKeyCounts() throws {
        struct Twice: Encodable {
            enum Keys: CodingKey { case a }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode(1, forKey: .a)
                try container.encode(2, forKey: .a)
            }
        }
        #expect(try pairs(Twice()) == "a=2")
    }

    @Test func superEncoderMayBeUsedLater() throws {
        struct Late: Encodable {
            enum Keys: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                let parent = container.superEncoder(forKey: .a)
                try container.encode(2, forKey: .b)
                try 1.encode(to: parent)
            }
        }
        #expect(try pairs(Late()) == "a=1&b=2")
    }

    @Test func superEncoderThatIsNeverUsedIsNothing() throws {
        struct Unused: Encodable {
            enum Keys: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                _ = container.superEncoder(forKey: .a)
                try container.encode(2, forKey: .b)
            }
        }
        #expect(try pairs(Unused()) == "b=2")
    }

    @Test func superEncoderOfAnArrayIsAnElement() throws {
        struct Elements: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                try container.encode(1)
                try ["a": 2].encode(to: container.superEncoder())
                #expect(container.count == 2)
            }
        }
        #expect(try pairs(Pair(Elements())) == "v[]=1&v[][a]=2")
    }

    struct Nested: Encodable {
        enum Keys: CodingKey { case a, b, c }
        func encode(to encoder: any Encoder) throws {
            var root = encoder.container(keyedBy: Keys.self)
            var a = root.nestedContainer(keyedBy: Keys.self, forKey: .a)
            var deep = a.nestedContainer(keyedBy: Keys.self, forKey: .b)
            try deep.encode(1, forKey: .c)
            var list = root.nestedUnkeyedContainer(forKey: .b)
            try list.encode("x")
            var inner = list.nestedContainer(keyedBy: Keys.self)
            try inner.encode(2, forKey: .a)
            var matrix = list.nestedUnkeyedContainer()
            try matrix.encode(3)
            try matrix.encode(4)
        }
    }

    @Test func nestedContainersNest() throws {
        #expect(try pairs(Nested()) == "a[b][c]=1&b[]=x&b[][a]=2&b[][]=3&b[][]=4")
    }

    @Test func nestedContainerRequestedAgainIsTheSame() throws {
        struct Again: Encodable {
            enum Keys: CodingKey { case a, b, c }
            func encode(to encoder: any Encoder) throws {
                var root = encoder.container(keyedBy: Keys.self)
                for (number, key) in [Keys.b, .c].enumerated() {
                    var nested = root.nestedContainer(keyedBy: Keys.self, forKey: .a)
                    try nested.encode(number, forKey: key)
                    var list = root.nestedUnkeyedContainer(forKey: .b)
                    try list.encode(number)
                }
            }
        }
        #expect(try pairs(Again()) == "a[b]=0&a[c]=1&b[]=0&b[]=1")
    }

    @Test func unusedNestedContainersAreNothing() throws {
        struct Unused: Encodable {
            enum Keys: CodingKey { case a, b, c }
            func encode(to encoder: any Encoder) throws {
                var root = encoder.container(keyedBy: Keys.self)
                _ = root.nestedContainer(keyedBy: Keys.self, forKey: .a)
                _ = root.nestedUnkeyedContainer(forKey: .b)
                try root.encode([String: Int](), forKey: .a)
                try root.encode(1, forKey: .c)
            }
        }
        #expect(try pairs(Unused()) == "c=1")
    }

    @Test func enumerationIsItsRawValue() throws {
        enum Kind: String, Encodable { case round }
        #expect(try pairs(Pair(Kind.round)) == "v=round")
    }

    @Test func enumerationWithPayloadsIsItsCase() throws {
        enum Shape: Encodable { case circle(radius: Double) }
        #expect(try pairs(Shape.circle(radius: 2)) == "circle[radius]=2.0")
    }

    @Test func anAnyEncodableIsItsValue() throws {
        struct Anything: Encodable {
            let value: any Encodable
            func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
        }
        #expect(try pairs(["v": Anything(value: ["a": 1])]) == "v[a]=1")
    }

    @Test func nestedDataAndDatesInArraysFollowTheOptions() throws {
        let encoder = URLEncodedFormEncoder(dateEncoding: .secondsSince1970)
        #expect(try form(Pair([Date(timeIntervalSince1970: 1)]), encoder) == "v[]=1.0")
        #expect(try form(Pair([Data("a".utf8)]), encoder) == "v[]=YQ==")
        #expect(try form(Pair(Optional(Date(timeIntervalSince1970: 2))), encoder) == "v=2.0")
    }
}

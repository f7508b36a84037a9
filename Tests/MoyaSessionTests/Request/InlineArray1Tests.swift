import Testing

@testable import MoyaSession

@Suite struct InlineArray1Tests {
    private func list(_ elements: [Int]) -> InlineArray1<Int> {
        var list = InlineArray1<Int>()
        for element in elements { list.append(element) }
        return list
    }

    @Test(arguments: [[], [1], [1, 2], [3, 1, 2, 3]])
    func elementsKeepTheirOrder(elements: [Int]) {
        let list = list(elements)
        #expect(list.array == elements)
        #expect(list.isEmpty == elements.isEmpty)
        #expect(list.first == elements.first)
        #expect(list.last == elements.last)
        var visited: [Int] = []
        list.forEach { visited.append($0) }
        #expect(visited == elements)
    }

    @Test(arguments: [[1], [2, 1], [2, 3, 1]])
    func anElementIsFoundWhereverItIs(elements: [Int]) {
        #expect(list(elements).contains { $0 == 1 })
        #expect(!list(elements).contains { $0 == 4 })
    }

    @Test func anErrorEndsTheVisit() {
        struct Stop: Error {}
        var visited = 0
        #expect(throws: Stop.self) {
            try list([1, 2, 3]).forEach { element in
                visited = element
                if element == 2 { throw Stop() }
            }
        }
        #expect(visited == 2)
    }
}

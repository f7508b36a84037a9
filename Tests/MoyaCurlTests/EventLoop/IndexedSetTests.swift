import MoyaTesting
import MoyaTransport
import Testing

@Suite struct IndexedSetTests {
    private final class Element: Indexed {
        var index: Int?
    }

    private func holds(_ list: IndexedSet, _ elements: [Element]) -> Bool {
        let all = list.all(Element.self)
        let isEach = all.enumerated().allSatisfy { $0.element.index == $0.offset }
        return isEach && Set(all.map(ObjectIdentifier.init)) == Set(elements.map(ObjectIdentifier.init))
    }

    @Test func anElementIsInsertedOnce() {
        var list = IndexedSet()
        let element = Element()
        list.insert(element)
        list.insert(element)
        #expect(list.all(Element.self).count == 1)
    }

    @Test func removingAMissingElementChangesNothing() {
        var list = IndexedSet()
        let element = Element()
        list.insert(element)
        list.remove(Element())
        #expect(holds(list, [element]))
    }

    @Test(arguments: 0..<3) func otherElementsStayAndKeepTheirIndex(removed: Int) {
        var list = IndexedSet()
        var elements = (0..<3).map { _ in Element() }
        for element in elements { list.insert(element) }
        let out = elements.remove(at: removed)
        list.remove(out)
        #expect(holds(list, elements) && out.index == nil)
    }

    @Test func removedElementCanBeInsertedAgain() {
        var list = IndexedSet()
        let element = Element()
        list.insert(element)
        list.remove(element)
        #expect(list.isEmpty)
        list.insert(element)
        #expect(holds(list, [element]))
    }

    @Test func anyOrderOfInsertionsAndRemovalsKeepsIndicesCorrect() {
        var random = SeededGenerator(seed: 7)
        var list = IndexedSet()
        var inside: [Element] = []
        for _ in 0..<2_000 {
            if inside.isEmpty || Bool.random(using: &random) {
                inside.append(Element())
                list.insert(inside[inside.count - 1])
            } else {
                list.remove(inside.remove(at: Int.random(in: 0..<inside.count, using: &random)))
            }
            #expect(holds(list, inside))
        }
    }
}

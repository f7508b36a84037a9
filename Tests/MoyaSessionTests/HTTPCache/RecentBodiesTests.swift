import Foundation
import Testing

@testable import MoyaSession

@Suite struct RecentBodiesTests {
    private let bodies = RecentBodies(limit: 100)

    /// Inserts bodies with as many bytes as their numbers.
    private func insert(_ ids: [UInt64]) { for id in ids { bodies.insert(Data(count: Int(id)), id: id) } }

    private func kept(_ ids: [UInt64]) -> [UInt64] { ids.filter { bodies.body($0) != nil } }

    @Test func aBodyIsKept() {
        insert([20])
        #expect(bodies.body(20) == Data(count: 20))
    }

    @Test func theLeastRecentlyUsedBodiesAreReleasedFirst() {
        insert([21, 22, 23, 24])
        _ = bodies.body(21)
        insert([25])
        #expect(kept([21, 22, 23, 24, 25]) == [21, 23, 24, 25])
    }

    @Test func aBodyOfMoreThanAQuarterIsNotKept() {
        insert([20, 26])
        #expect(kept([20, 26]) == [20])
    }

    @Test func aRemovedBodyMakesRoom() {
        insert([22, 23, 24, 25])
        bodies.remove(22)
        insert([21])
        #expect(kept([21, 22, 23, 24, 25]) == [21, 23, 24, 25])
    }

    @Test func aBodyThatIsKeptAlreadyTakesNoFurtherRoom() {
        insert([22, 23, 24, 25])
        for _ in 0..<10 { insert([25]) }
        #expect(kept([22, 23, 24, 25]) == [22, 23, 24, 25])
    }
}

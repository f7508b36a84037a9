import Foundation
import Testing

@testable import Moya

@Suite struct LazyProgressTests {
    @Test func hasTheCounts() {
        let progress = LazyProgress(completed: 3, total: 12).progress
        #expect(progress.completedUnitCount == 3 && progress.totalUnitCount == 12)
    }

    @Test func hasNoTotalWhereTheLengthIsNotKnown() {
        #expect(LazyProgress(completed: 3, total: nil).progress.totalUnitCount == -1)
    }

    @Test func isOneObject() {
        let lazy = LazyProgress(completed: 3, total: 12)
        #expect(lazy.progress === lazy.progress)
    }

    @Test(arguments: [(0, 4), (1, 4), (3, 4), (4, 4), (5, 4), (0, 0), (3, 0), (3, nil)] as [(Int64, Int64?)])
    func fractionIsThatOfTheObject(completed: Int64, total: Int64?) {
        let lazy = LazyProgress(completed: completed, total: total)
        let object = Progress(totalUnitCount: total ?? -1)
        object.completedUnitCount = completed
        #expect(lazy.fraction == (object.totalUnitCount > 0 ? object.fractionCompleted : 0))
    }

    @Test func isNoPartOfTheProgressOfTheReader() {
        let reader = Progress(totalUnitCount: 1)
        reader.becomeCurrent(withPendingUnitCount: 1)
        let progress = LazyProgress(completed: 1, total: 2).progress
        reader.resignCurrent()
        reader.cancel()
        #expect(!progress.isCancelled)
    }
}

import Foundation
import Testing

@testable import Moya

@Suite struct LiveProgressTests {
    private func live(_ completed: Int64, of total: Int64?) -> LiveProgress {
        let live = LiveProgress()
        live.update(completed: completed, total: total)
        return live
    }

    @Test func hasTheCounts() {
        let progress = live(3, of: 12).progress
        #expect(progress.completedUnitCount == 3 && progress.totalUnitCount == 12)
    }

    @Test func hasNoTotalWhereTheLengthIsNotKnown() {
        #expect(live(3, of: nil).progress.totalUnitCount == -1)
    }

    @Test func isOneObjectThatIsUpdated() {
        let live = live(3, of: 12)
        let progress = live.progress
        live.update(completed: 12, total: 12)
        #expect(live.progress === progress)
        #expect(progress.fractionCompleted == 1)
    }

    @Test(arguments: [(0, 4), (1, 4), (3, 4), (4, 4), (5, 4), (0, 0), (3, 0), (3, nil)] as [(Int64, Int64?)])
    func fractionIsThatOfTheObject(completed: Int64, total: Int64?) {
        let live = live(completed, of: total)
        let count = EventCount(completed: completed, total: total, live: live)
        let object = live.progress
        #expect(count.fraction == (object.totalUnitCount > 0 ? object.fractionCompleted : 0))
    }

    @Test func isNoPartOfTheProgressOfTheReader() {
        let reader = Progress(totalUnitCount: 1)
        reader.becomeCurrent(withPendingUnitCount: 1)
        let progress = live(1, of: 2).progress
        reader.resignCurrent()
        reader.cancel()
        #expect(!progress.isCancelled)
    }
}

import Foundation

/// A soak from its warm-up to its verdict.
struct SoakRun {
    private struct Sample {
        let seconds: Double
        let figures: ProcessFigures
    }

    /// The share of phases in which tables and pools reach their sizes.
    private static let warmUpShare = 0.4

    private let plan: SoakPlan
    private let soak: Soak

    init(plan: SoakPlan) {
        self.plan = plan
        soak = Soak(plan: plan)
    }

    /// Runs the soak, prints its figures, and returns whether it passed.
    func run() -> Bool {
        print(
            "soak: \(plan.calls) calls over TLS, \(plan.inFlight) at once, \(plan.providers) providers, "
                + "one call in ten cancelled")
        let start = ContinuousClock.now
        // The loop's thread, its epoll and its event descriptor exist from the first call on.
        soak.runPhase(calls: plan.callsPerPhase)
        settle(descriptors: 0, seconds: 0.2)
        let began = ProcessFigures.afterTrimming()
        // Without reserved capacity, this list would dominate the fit.
        var samples: [Sample] = []
        samples.reserveCapacity(plan.calls / plan.callsPerPhase + 2)
        var phases = 1
        while soak.callsLeft > 0 {
            soak.runPhase(calls: plan.callsPerPhase)
            settle(descriptors: began.descriptors, seconds: 5)
            samples.append(Sample(seconds: seconds(since: start), figures: .afterTrimming()))
            phases += 1
            if phases.isMultiple(of: 25) { report(samples.last) }
        }
        let end = seconds(since: start)
        settle(descriptors: began.descriptors, threads: began.threads, seconds: 30)
        return judge(samples, began: began, ended: .afterTrimming(), seconds: end)
    }

    /// Waits until released descriptors are closed; the verdict reports those that never are.
    private func settle(descriptors: Int, threads: Int = .max, seconds: Double) {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < deadline,
            ProcessFigures.descriptorsNow > descriptors || ProcessFigures.threadsNow > threads
        {
            usleep(2_000)
        }
    }

    private func seconds(since start: ContinuousClock.Instant) -> Double {
        let duration = (ContinuousClock.now - start).components
        return Double(duration.seconds) + Double(duration.attoseconds) / 1e18
    }

    private func report(_ sample: Sample?) {
        guard let sample else { return }
        print(
            "  \(format(sample.seconds, 0)) s: resident \(kibibytes(sample.figures.residentBytes)), "
                + "held \(kibibytes(sample.figures.heldBytes)), "
                + "\(sample.figures.descriptors) descriptors, \(sample.figures.threads) threads")
        // Flushes each line, also through a pipe.
        fflush(nil)
    }

    // MARK: The verdict

    private func judge(_ samples: [Sample], began: ProcessFigures, ended: ProcessFigures, seconds: Double) -> Bool {
        let ledger = soak.ledger
        let providers = soak.providers
        let measured = samples.dropFirst(Int(Double(samples.count) * Self.warmUpShare))
        let resident = MedianSlope(measured.map { ($0.seconds, Double($0.figures.residentBytes), $0.figures.threads) })
        let held = MedianSlope(measured.map { ($0.seconds, Double($0.figures.heldBytes), $0.figures.threads) })
        print(
            """
            \(plan.calls) calls in \(format(seconds, 1)) s: \(ledger.count(.right)) answered, \
            \(ledger.count(.cancelled)) cancelled, \(ledger.count(.dropped)) ended with their provider, \
            \(ledger.count(.wrong)) wrong
            """)
        let once = ledger.calls(completed: 1...1)
        var holds = true
        func check(_ isRight: Bool, _ text: String) {
            print("\(isRight ? "ok" : "NOT OK"): \(text)")
            holds = holds && isRight
        }
        check(
            once == plan.calls,
            "completed once: \(once); never: \(ledger.calls(completed: 0...0)); "
                + "more often: \(ledger.calls(completed: 2...255))")
        check(ledger.count(.wrong) == 0, "calls that came to anything else: \(ledger.count(.wrong))")
        for complaint in ledger.complaints { print("    \(complaint)") }
        check(ledger.count(.cancelled) > plan.calls / 20, "cancelled in time: more than one call in twenty")
        check(providers.alive == 0, "providers made: \(providers.made); still there: \(providers.alive)")
        guard ProcessFigures.areKnown else {
            print("    not looked at: descriptors, threads and memory, which Linux alone tells of")
            return holds
        }
        check(
            ended.descriptors <= began.descriptors, "descriptors: \(began.descriptors) then, \(ended.descriptors) now")
        check(ended.threads <= began.threads, "threads: \(began.threads) then, \(ended.threads) now")
        check(
            (held?.slope ?? .infinity) * 3600 < plan.slopeBound,
            "memory that is held: \(describe(held)); the bound is \(megabytes(plan.slopeBound))")
        let growth = heldGrowth(Array(measured))
        check(
            growth.bytes < growth.bound,
            "memory that is held, the last third against the first: \(growth.bytes / 1024) KiB more; "
                + "the bound is \(growth.bound / 1024) KiB")
        // The heap's pages vary by tens of kilobytes with fragmentation, which is megabytes an hour within two minutes:
        // the uncertainty of the fit is not growth.
        check(
            (resident?.leastSlope ?? .infinity) * 3600 < plan.residentSlopeBound,
            "resident memory: \(describe(resident)); the bound is \(megabytes(plan.residentSlopeBound)), "
                + "with three standard errors to spare")
        print(
            "    \(measured.count) samples with nothing under way, over "
                + "\(format((measured.last?.seconds ?? 0) - (measured.first?.seconds ?? 0), 0)) s, "
                + "after two fifths for warming up; those with as many threads are compared")
        return holds
    }

    /// The growth of used memory from the first third to the last; a median of slopes would not detect a table that
    /// has doubled once.
    private func heldGrowth(_ samples: [Sample]) -> (bytes: Int, bound: Int) {
        func typical(_ samples: ArraySlice<Sample>, _ figure: (ProcessFigures) -> Int) -> Int {
            let sorted = samples.map { figure($0.figures) }.sorted()
            return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
        }
        let third = samples.count / 3
        let (first, last) = (samples.prefix(third), samples.suffix(third))
        let threads = max(0, typical(last, \.threads) - typical(first, \.threads))
        // An additional thread brings its stack, and work items that Dispatch keeps for it.
        return (typical(last, \.heldBytes) - typical(first, \.heldBytes), (256 + 192 * threads) * 1024)
    }

    private func describe(_ fit: MedianSlope?) -> String {
        guard let fit else { return "too few samples for a fit" }
        return "\(megabytes(fit.slope * 3600)), at least \(megabytes(fit.leastSlope * 3600))"
    }

    private func megabytes(_ bytesAnHour: Double) -> String { "\(format(bytesAnHour / 1_048_576, 2)) MiB an hour" }
    private func kibibytes(_ bytes: Int) -> String { "\(bytes / 1024) KiB" }
    private func format(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }
}

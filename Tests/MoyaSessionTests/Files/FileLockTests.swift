import Foundation
import MoyaTesting
import MoyaTransport
import Testing

@Suite struct FileLockTests {
    private let path: String
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
        path = directory.url.appendingPathComponent("lock").path
    }

    @Test(arguments: [EMFILE, ENFILE, ENOMEM, EIO, ENOLCK])
    func isAcquiredOnceTheSystemIsNoLongerShort(of number: Int32) async {
        var errors = [number, number]
        let lock = await FileLock.acquire { () throws(SystemError) in
            if let number = errors.popLast() { throw SystemError(number: number) }
            return try FileLock.tryAcquire(at: path)
        }
        #expect(lock != nil && errors.isEmpty)
    }

    @Test(arguments: [EACCES, EPERM, EROFS, EOPNOTSUPP, ENOSYS])
    func isNotAwaitedWhereThereIsNone(_ number: Int32) async {
        var attempts = 0
        let lock = await FileLock.acquire { () throws(SystemError) in
            attempts += 1
            throw SystemError(number: number)
        }
        #expect(lock == nil && attempts == 1)
    }

    @Test func isThatOfOneOwnerAtATime() throws {
        var first = try FileLock.tryAcquire(at: path)
        #expect(first != nil)
        #expect(try FileLock.tryAcquire(at: path) == nil)
        first = nil
        #expect(try FileLock.tryAcquire(at: path) != nil)
    }
}

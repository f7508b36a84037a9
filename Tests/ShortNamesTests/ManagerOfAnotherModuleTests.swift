// snippet: manager of another module
import Moya
import ShortNames
// end
import Testing

// snippet: manager of another module
import struct ShortNames.Manager
// end

/// Code of an app that imports a module with its own `Manager`, the one older name that `import Moya` still shows.
@Suite struct ManagerOfAnotherModuleTests {
    @Test func isTheOneThatIsImportedByName() {
        let manager: Manager = Manager()
        #expect(type(of: manager) == ShortNames.Manager.self)
    }
}

#if TaskAlias
import Foundation
import Moya
import Testing

/// `do` and `catch` around filters and maps, in the forms that apps have.
@Suite struct ResponseMappingSourceTests {
    private let response = Response(statusCode: 200, data: Data("[1".utf8))

    @Test func catchesDecodingErrorsByName() {
        var caught = ""
        do {
            _ = try response.map([Int].self)
        } catch let error as DecodingError {
            caught = "decoding \(error)"
        } catch let error as MoyaError {
            caught = "moya \(error.response?.statusCode ?? 0)"
        } catch {
            caught = "other"
        }
        #expect(caught == "moya 200")
    }

    @Test func catchesAnError() {
        var caught: Swift.Error?
        do {
            _ = try response.mapJSON()
        } catch let error {
            caught = error
        }
        #expect((caught as? MoyaError)?.response === response)
        #expect((caught! as NSError).domain.hasSuffix("MoyaError"))
    }

    @Test func catchesNSErrors() {
        do {
            _ = try response.mapJSON()
            Issue.record("no error")
        } catch let error as NSError {
            #expect(error.code == 1)
        }
    }

    @Test func castsACaughtError() {
        do {
            _ = try response.filter(statusCode: 201)
            Issue.record("no error")
        } catch {
            guard let moyaError = error as? MoyaError, case .statusCode(let response) = moyaError else {
                Issue.record("no match")
                return
            }
            #expect(response.statusCode == 200)
        }
    }

    @Test func switchesOverACaughtError() {
        do {
            _ = try response.filter(statusCodes: 300...399).mapString()
            Issue.record("no error")
        } catch {
            switch error {
            case MoyaError.statusCode: break
            default: Issue.record("no match")
            }
        }
    }

    @Test func mixesErrorsOfTheApp() {
        func parse() throws -> Int {
            guard let numbers = try response.mapJSON(failsOnEmptyData: false) as? [Int] else {
                throw AppError.unauthorized
            }
            return numbers.count
        }
        #expect(throws: MoyaError.self) { try parse() }
    }

    @Test func resultsAreFlatMapped() {
        let result: Result<Moya.Response, MoyaError> = .success(response)
        let mapped: Result<Int, Swift.Error> = result.mapError { $0 as Swift.Error }.flatMap { response in
            Result { try response.map(Int.self) }
        }
        #expect(throws: MoyaError.self) { try mapped.get() }
        let rescued = result.flatMap { response -> Result<Int, MoyaError> in
            do {
                return .success(try response.map(Int.self))
            } catch let error as MoyaError {
                return .failure(error)
            } catch {
                return .failure(.underlying(error, response))
            }
        }
        #expect((try? rescued.get()) == nil)
    }

    @Test func mapsAreFunctions() {
        let filter: (Response) throws -> Response = { try $0.filterSuccessfulStatusCodes() }
        let maps: [(Response) throws -> Any] = [{ try $0.mapJSON() }, { try $0.mapString() }]
        #expect((try? filter(response)) === response)
        #expect(maps.map { (try? $0(response)) as? String } == [nil, "[1"])
        #expect((try? [response].map { try $0.mapString() }) == ["[1"])
    }

    @Test func everySampleResponseIsMatched() {
        func name(_ sample: EndpointSampleResponse) -> String {
            switch sample {
            case .networkResponse(let code, let data): return "\(code) \(data.count)"
            case .response(let response, _): return "\(response.statusCode)"
            case .networkError(let error): return error.domain
            }
        }
        #expect(name(.networkResponse(200, Data())) == "200 0")
        #expect(name(.networkError(NSError(domain: "d", code: 1))) == "d")
    }
}
#endif

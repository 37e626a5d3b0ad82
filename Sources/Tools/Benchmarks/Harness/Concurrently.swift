/// Makes values concurrently, with progress, and returns them in order.
/// - Parameters:
///   - count: the number of values.
///   - limit: the maximum number of values that are made at the same time.
///   - priority: the priority of the tasks; with a low one, other work of the process does not wait for all of them.
///   - make: makes the value with a number, from 0.
/// - Returns: the values by number.
/// - Throws: the first error of `make`.
func concurrently<Value: Sendable, Failure: Error>(
    _ count: Int,
    limit: Int = .max,
    priority: TaskPriority? = nil,
    _ make: @escaping @Sendable (_ number: Int) async throws(Failure) -> Value
) async throws(Failure) -> [Value] {
    let results = await withTaskGroup(of: (number: Int, value: Result<Value, Failure>).self) { group in
        var rest = 0..<count
        func makeNext() {
            guard let number = rest.popFirst() else { return }
            group.addTask(priority: priority) {
                do throws(Failure) { return (number, .success(try await make(number))) } catch {
                    return (number, .failure(error))
                }
            }
        }
        for _ in 0..<min(limit, count) { makeNext() }
        var results: [(number: Int, value: Result<Value, Failure>)] = []
        var progress = Progress(of: count)
        for await result in group {
            results.append(result)
            progress.advance()
            if case .failure = result.value {
                group.cancelAll()
                break
            }
            makeNext()
        }
        return results
    }
    var values: [Value] = []
    for result in results.sorted(by: { $0.number < $1.number }) { values.append(try result.value.get()) }
    return values
}

/// The request stopped arriving, or stopped being HTTP: nobody is there for an answer of ours.
struct BrokenRequest: Error {
    let cause: any Error
}

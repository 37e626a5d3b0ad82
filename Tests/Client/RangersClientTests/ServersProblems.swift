import HTTPServing

@testable import PartyAPI

/// The types of all problems in the server's responses.
///
/// They are in a file of their own, because server and client have types with the same names.
let serversProblemTypes = HTTPProblem.Kind.all.map(\.type)

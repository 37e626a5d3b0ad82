import HTTPServing

@testable import PartyAPI

/// The types of all problems that the server answers with; in a file of its own, since the client calls them problems too.
let serversProblemTypes = HTTPProblem.Kind.all.map(\.type)

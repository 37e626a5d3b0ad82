# shellcheck shell=bash
# The Swift toolchain, the only requirement that is not installed automatically.

# require_swift: sets swift_version, or reports what was found and where to get a toolchain.
require_swift() {
    local minimum=6.2 found
    local advice="Get one from https://www.swift.org/install/linux/ and put its usr/bin on the PATH."
    if ! command -v swift >/dev/null; then
        refuse "No Swift toolchain: \`swift\` is not on the PATH; $minimum or later is required." "$advice"
    fi
    # OpenStack's client is called `swift` too, so check the output and not only the name.
    found=$(swift --version 2>/dev/null) || found=""
    if [[ ! $found =~ Swift\ version\ ([0-9]+)\.([0-9]+)([.0-9]*) ]]; then
        refuse "$(command -v swift) is not a working Swift compiler; $minimum or later is required." "$advice"
    fi
    swift_version=${BASH_REMATCH[1]}.${BASH_REMATCH[2]}${BASH_REMATCH[3]}
    if ! at_least "$swift_version" "$minimum"; then
        refuse "Swift $swift_version is too old ($(command -v swift)); $minimum or later is required." "$advice"
    fi
}

# at_least VERSION MINIMUM: whether dotted VERSION is MINIMUM or later.
at_least() {
    [[ $(printf '%s\n' "$1" "$2" | sort --version-sort | head -n 1) == "$2" ]]
}

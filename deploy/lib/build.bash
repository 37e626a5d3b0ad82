# shellcheck shell=bash
# shellcheck disable=SC2154 # log_directory and state_directory come from setup.bash
# Runs `swift` with its output in a file: prints one line of progress, and the relevant output at the end.

# watch_swift NAME PROGRESS COMMAND ARGUMENTS…: runs `swift COMMAND ARGUMENTS…` with its output in NAME.log, and prints
# the progress that the function PROGRESS derives from the log. Returns the exit status of swift.
#
# Builds without an index, which takes a quarter of a debug build; editors make their own.
watch_swift() {
    local name=$1 describe_progress=$2 command=$3 status=0
    shift 3
    local log=$log_directory/$name.log
    start "$name" "$log" INT swift "$command" --disable-index-store "$@"
    while alive "$name"; do
        progress "$("$describe_progress" "$log")"
        sleep 0.25
    done
    clear_progress
    ended "$name" || status=$?
    return "$status"
}

# build_quietly NAME ARGUMENTS…: runs `swift build ARGUMENTS…`; prints the compiler's output only on failure.
build_quietly() {
    local name=$1
    shift
    if ! watch_swift "$name" build_progress build "$@"; then
        without_dependency_warnings "$log_directory/$name.log" | grep -v '^\[[0-9]*/[0-9]*\]' >&2 || true
        fail "swift build $* failed; its errors are above." "Full log: $log_directory/$name.log"
    fi
}

# without_dependency_warnings LOG: prints a log without SwiftPM's warnings about files that a dependency does not declare,
# such as a CMakeLists.txt. Each is followed by the indented paths of these files.
without_dependency_warnings() {
    awk 'warning != "" && /^ +\/.*\/checkouts\// { in_dependency = 1; next }
        warning != "" { if (!in_dependency) print warning; warning = "" }
        /^warning: .*found [0-9]+ file\(s\) which are unhandled/ { warning = $0; in_dependency = 0; next }
        { print }
        END { if (warning != "" && !in_dependency) print warning }' "$1"
}

build_progress() {
    local last
    last=$(tail -n 40 "$1" 2>/dev/null | grep '^\[[0-9]*/[0-9]*\]' | tail -n 1) || last="preparing"
    printf 'building: %s' "$last"
}

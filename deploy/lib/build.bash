# shellcheck shell=bash
# shellcheck disable=SC2154 # log_directory and state_directory come from setup.bash
# `swift` with its thousand lines in a file: one line of progress, and the whole of what matters at the end.

# watch_swift NAME PROGRESS ARGUMENTS…: runs `swift ARGUMENTS…`, with all it says in NAME.log, telling how far
# it is by what the function PROGRESS makes of that file. Returns what swift returns.
watch_swift() {
    local name=$1 tell=$2 status=0
    shift 2
    local log=$log_directory/$name.log
    start "$name" "$log" INT swift "$@"
    while alive "$name"; do
        progress "$("$tell" "$log")"
        sleep 0.25
    done
    clear_progress
    ended "$name" || status=$?
    return "$status"
}

# build_quietly NAME ARGUMENTS…: `swift build ARGUMENTS…`; the compiler's words in full only if it fails.
build_quietly() {
    local name=$1
    shift
    if ! watch_swift "$name" build_progress build "$@"; then
        grep -v '^\[[0-9]*/[0-9]*\]' "$log_directory/$name.log" >&2 || true
        fail "swift build $* failed; its errors are above." "All it said: $log_directory/$name.log"
    fi
}

build_progress() {
    local last
    last=$(tail -n 40 "$1" 2>/dev/null | grep '^\[[0-9]*/[0-9]*\]' | tail -n 1) || last="preparing"
    printf 'building: %s' "$last"
}

# shellcheck shell=bash
# shellcheck disable=SC2154 # log_directory and state_directory come from setup.bash
# Processes that live as long as the command does, and not a moment longer.
#
# Each is the leader of its own session: a Ctrl-C on the terminal reaches only the command, which then stops
# them one by one, in order. And each asks the kernel for a signal when the command itself dies, so that even
# `kill -9` on the command leaves nothing behind.

declare -A process_ids=()
declare -A stop_signals=()
process_order=()

# What `start` runs a command through to run it as another user; empty to stay the one we are.
as_user=()

# Functions that run, last added first, when the command ends in whatever way.
at_exit=()

# start NAME LOG SIGNAL COMMAND…: runs COMMAND in the background with its output in LOG, or where the
# command's own goes if LOG is `-`. SIGNAL is what asks it to stop.
#
# `setpriv` comes after `as_user` has changed the user, since such a change clears the parent-death signal.
# A background job of a script starts with SIGINT ignored; `env` gives it back.
start() {
    local name=$1 log=$2 signal=$3
    shift 3
    local launcher=(setsid env --default-signal=INT --default-signal=QUIT "${as_user[@]}" setpriv "--pdeathsig=$signal" --)
    if [[ $log == - ]]; then
        "${launcher[@]}" "$@" </dev/null &
    else
        "${launcher[@]}" "$@" </dev/null >"$log" 2>&1 &
    fi
    process_ids[$name]=$!
    stop_signals[$name]=$signal
    process_order+=("$name")
}

alive() {
    kill -0 "${process_ids[$1]}" 2>/dev/null
}

# await NAME SECONDS COMMAND…: whether COMMAND succeeded within SECONDS, with the process NAME alive.
await() {
    local name=$1 deadline=$((SECONDS + $2))
    shift 2
    until "$@" >/dev/null; do
        if ! alive "$name" || ((SECONDS >= deadline)); then
            return 1
        fi
        sleep 0.1
    done
}

# ended NAME: waits for a process that ends by itself, and returns its exit status.
ended() {
    local status=0 name remaining=()
    wait "${process_ids[$1]}" 2>/dev/null || status=$?
    for name in "${process_order[@]}"; do
        [[ $name == "$1" ]] || remaining+=("$name")
    done
    process_order=("${remaining[@]}")
    return "$status"
}

# stop NAME: asks, waits up to 25 seconds (rangersd drains for up to 20), then insists, also with what it has left behind.
stop() {
    local id=${process_ids[$1]} attempt
    kill -s "${stop_signals[$1]}" "$id" 2>/dev/null || true
    for ((attempt = 0; attempt < 250; attempt++)); do
        alive "$1" || break
        ((attempt < 20)) || progress "waiting for $1 to end"
        sleep 0.1
    done
    clear_progress
    kill_session "$id"
    # Reaped here, with bash's own word about a killed job unsaid.
    wait "$id" 2>/dev/null || true
}

# kill_session ID: what remains of a session. A build's compilers have process groups of their own and
# outlive it for some seconds; the session is what they have in common.
kill_session() {
    local file text fields
    for file in /proc/[0-9]*/stat; do
        # "PID (NAME) STATE PARENT GROUP SESSION …", where NAME may hold anything. `read` is false at the
        # file's end, and the process may be gone by now.
        text=""
        IFS= read -r -d '' text 2>/dev/null <"$file" || true
        read -r -a fields <<<"${text##*) }"
        if [[ ${fields[3]:-} == "$1" ]]; then
            file=${file%/stat}
            kill -s KILL "${file##*/}" 2>/dev/null || true
        fi
    done
}

stop_all() {
    local index
    for ((index = ${#process_order[@]} - 1; index >= 0; index--)); do
        stop "${process_order[index]}"
    done
    process_order=()
}

# end_well_whatever_happens: from here on, every way out stops what was started and runs what is in at_exit.
end_well_whatever_happens() {
    trap 'exit 129' HUP
    # The terminal has just echoed ^C; what follows begins a line of its own.
    trap '[[ ! -t 1 ]] || say ""; exit 130' INT
    trap 'exit 143' TERM
    trap clean_up EXIT
    # What is expected to fail is answered where it does; this names what is not. Signals have their traps.
    set -o errtrace
    trap 'status=$?; ((status >= 128)) || complain "${BASH_SOURCE[0]}:$LINENO: failed ($status): $BASH_COMMAND"' ERR
}

clean_up() {
    trap '' HUP INT TERM
    # Whatever fails in here, the rest is still to be stopped.
    set +o errexit
    trap - ERR
    clear_progress
    stop_all
    local index
    for ((index = ${#at_exit[@]} - 1; index >= 0; index--)); do
        "${at_exit[index]}"
    done
}

# fail_with_log NAME TEXT: what the process NAME said last, and the end.
fail_with_log() {
    local log=$log_directory/$1.log
    complain "$2" "The end of $log:"
    tail -n 20 "$log" | sed 's/^/  | /' >&2
    exit 1
}

# shellcheck shell=bash
# shellcheck disable=SC2154 # log_directory and state_directory come from setup.bash
# Processes that live exactly as long as the command.
#
# Each process leads its own session: Ctrl-C on the terminal reaches only the command, which then stops them one by one,
# in order. Each also asks the kernel for a signal when the command dies, so that even `kill -9` leaves no process
# behind.

declare -A process_ids=()
declare -A stop_signals=()
process_order=()

# The prefix with which `start` runs a command as another user; empty for the current user.
as_user=()

# Functions that run when the command exits in any way, in reverse order.
at_exit=()

# start NAME LOG SIGNAL COMMAND…: runs COMMAND in the background with its output in LOG, or with the command's own
# output if LOG is `-`. SIGNAL stops it.
#
# `setpriv` comes after `as_user` has changed the user, since that clears the parent-death signal. Background jobs of
# scripts ignore SIGINT; `env` restores the default.
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

# await NAME SECONDS COMMAND…: whether COMMAND succeeded within SECONDS while the process NAME was alive.
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

# ended NAME: waits for a process to exit and returns its exit status.
ended() {
    local status=0 name remaining=()
    wait "${process_ids[$1]}" 2>/dev/null || status=$?
    for name in "${process_order[@]}"; do
        [[ $name == "$1" ]] || remaining+=("$name")
    done
    process_order=("${remaining[@]}")
    return "$status"
}

# stop NAME: sends the stop signal, waits up to 25 seconds (rangersd drains for up to 20), and then kills the session.
stop() {
    local id=${process_ids[$1]} attempt
    kill -s "${stop_signals[$1]}" "$id" 2>/dev/null || true
    for ((attempt = 0; attempt < 250; attempt++)); do
        alive "$1" || break
        ((attempt < 20)) || progress "waiting for $1 to exit"
        sleep 0.1
    done
    clear_progress
    kill_session "$id"
    # Reap it here, without bash's message about a killed job.
    wait "$id" 2>/dev/null || true
}

# kill_session ID: kills the remaining processes of a session. A build's compilers have process groups of their own and
# outlive it for some seconds, but share its session.
kill_session() {
    local file text fields
    for file in /proc/[0-9]*/stat; do
        # "PID (NAME) STATE PARENT GROUP SESSION …", where NAME may contain anything. `read` fails at the end of the
        # file, and the process may have exited meanwhile.
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

# install_exit_traps: from here on, every exit stops the started processes and runs at_exit.
install_exit_traps() {
    trap 'exit 129' HUP
    # The terminal has echoed ^C; start a new line.
    trap '[[ ! -t 1 ]] || say ""; exit 130' INT
    trap 'exit 143' TERM
    trap clean_up EXIT
    # Reports unexpected failures; expected ones are handled where they occur, and signals by their traps.
    set -o errtrace
    trap 'status=$?; ((status >= 128)) || print_error "${BASH_SOURCE[0]}:$LINENO: failed ($status): $BASH_COMMAND"' ERR
}

clean_up() {
    trap '' HUP INT TERM
    # A failure in here must not keep the rest from stopping.
    set +o errexit
    trap - ERR
    clear_progress
    stop_all
    local index
    for ((index = ${#at_exit[@]} - 1; index >= 0; index--)); do
        "${at_exit[index]}"
    done
}

# fail_with_log NAME TEXT: fails with the end of the log of the process NAME.
fail_with_log() {
    local log=$log_directory/$1.log
    print_error "$2" "The end of $log:"
    tail -n 20 "$log" | sed 's/^/  | /' >&2
    exit 1
}

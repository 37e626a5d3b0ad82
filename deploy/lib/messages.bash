# shellcheck shell=bash
# Output of the commands: one line for each step, and a progress line that is rewritten on terminals.

say() {
    printf '%s\n' "$*"
}

# done_step TEXT: reports a completed step.
done_step() {
    clear_progress
    printf '✓ %s\n' "$*"
}

# fail TEXT [DETAIL…]: reports a failure and exits with 1.
fail() {
    print_error "$@"
    exit 1
}

# refuse TEXT [DETAIL…]: reports a missing requirement or wrong usage and exits with 2.
refuse() {
    print_error "$@"
    exit 2
}

print_error() {
    clear_progress
    printf '✗ %s\n' "$1" >&2
    shift
    if (($# > 0)); then
        printf '  %s\n' "$@" >&2
    fi
}

progress_shown=""
progress_printed_at=0

# progress TEXT: shows the progress of a long step. Without a terminal it prints a line every 20 seconds.
progress() {
    if [[ -t 1 ]]; then
        if [[ $1 != "$progress_shown" ]]; then
            local width=${COLUMNS:-80}
            printf '\r\033[K%s' "${1:0:width - 1}"
            progress_shown=$1
        fi
    elif ((SECONDS - progress_printed_at >= 20)); then
        say "$1"
        progress_printed_at=$SECONDS
    fi
}

clear_progress() {
    if [[ -n $progress_shown ]]; then
        printf '\r\033[K'
        progress_shown=""
    fi
}

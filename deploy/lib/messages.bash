# shellcheck shell=bash
# What the commands say. One line a step; a line that is rewritten only where there is a terminal.

say() {
    printf '%s\n' "$*"
}

# done_step TEXT: a step that is behind us.
done_step() {
    clear_progress
    printf '✓ %s\n' "$*"
}

# fail TEXT [DETAIL…]: something broke; exit 1.
fail() {
    complain "$@"
    exit 1
}

# refuse TEXT [DETAIL…]: this machine or this call lacks something that only a person can give; exit 2.
refuse() {
    complain "$@"
    exit 2
}

complain() {
    clear_progress
    printf '✗ %s\n' "$1" >&2
    shift
    if (($# > 0)); then
        printf '  %s\n' "$@" >&2
    fi
}

progress_shown=""
progress_said_at=0

# progress TEXT: how far a long step is. A log gets a line every 20 seconds, enough to see that it lives.
progress() {
    if [[ -t 1 ]]; then
        if [[ $1 != "$progress_shown" ]]; then
            local width=${COLUMNS:-80}
            printf '\r\033[K%s' "${1:0:width - 1}"
            progress_shown=$1
        fi
    elif ((SECONDS - progress_said_at >= 20)); then
        say "$1"
        progress_said_at=$SECONDS
    fi
}

clear_progress() {
    if [[ -n $progress_shown ]]; then
        printf '\r\033[K'
        progress_shown=""
    fi
}

# shellcheck shell=bash
# The beginning of all commands. Source this file; it sources the others.

library=${BASH_SOURCE[0]%/*}
root=$(CDPATH='' cd -P -- "$library/../.." && pwd)
state_directory=$root/.rangers
log_directory=$state_directory/log

# shellcheck source=deploy/lib/messages.bash
source "$library/messages.bash"
# shellcheck source=deploy/lib/toolchain.bash
source "$library/toolchain.bash"
# shellcheck source=deploy/lib/packages.bash
source "$library/packages.bash"
# shellcheck source=deploy/lib/processes.bash
source "$library/processes.bash"
# shellcheck source=deploy/lib/postgres.bash
source "$library/postgres.bash"
# shellcheck source=deploy/lib/server.bash
source "$library/server.bash"
# shellcheck source=deploy/lib/python.bash
source "$library/python.bash"
# shellcheck source=deploy/lib/build.bash
source "$library/build.bash"

# set_up PACKAGE…: prepares the directory for logs, the toolchain and the packages.
set_up() {
    cd -- "$root" || exit
    # The usual soft limit of 1,024 open files is too low for the tests' connections; every user may raise it.
    ulimit -S -n "$(ulimit -H -n)"
    check_ownership
    install_exit_traps
    require_swift
    require_packages "$@"
    done_step "Swift $swift_version, PostgreSQL $postgres_version"
}

# check_ownership: creates .rangers/log, and refuses to run if root or another user has run a command here before: their
# files, including SwiftPM's lock files in /tmp, cannot be overwritten, and SwiftPM crashes on them.
check_ownership() {
    local foreign="" locks=/tmp/${root//\//_}_.build
    if ! mkdir -p -- "$log_directory" 2>/dev/null || [[ ! -w $root ]]; then
        refuse "$(id -un) cannot write to $root."
    fi
    if ((EUID != 0)); then
        foreign=$(find .rangers .build Package.resolved -maxdepth 2 ! -uid "$EUID" -print -quit 2>/dev/null || true)
    fi
    if [[ -n $foreign ]]; then
        refuse "$root/$foreign belongs to $(stat --format=%U -- "$foreign")." \
            "Another user has run this here. To run it as $(id -un), root must remove the old files:" \
            "cd ${root@Q} && sudo rm -rf .rangers .build Package.resolved ${locks@Q}*.lock"
    fi
}

# shellcheck shell=bash
# What both commands begin with. Source this file; it brings the others.

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

# set_up PACKAGE…: the folder for what a run leaves, the toolchain, the packages.
set_up() {
    cd -- "$root" || exit
    own_folders
    end_well_whatever_happens
    require_swift
    require_packages "$@"
    done_step "Swift $swift_version, PostgreSQL $postgres_version"
}

# own_folders: makes .rangers/log, and refuses where root or another user has run before: what they left
# behind stays theirs, SwiftPM's lock files in /tmp too, and SwiftPM answers that with a crash.
own_folders() {
    local foreign="" locks=/tmp/${root//\//_}_.build
    if ! mkdir -p -- "$log_directory" 2>/dev/null || [[ ! -w $root ]]; then
        refuse "$(id -un) may not write to $root."
    fi
    if ((EUID != 0)); then
        foreign=$(find .rangers .build Package.resolved -maxdepth 2 ! -uid "$EUID" -print -quit 2>/dev/null || true)
    fi
    if [[ -n $foreign ]]; then
        refuse "$root/$foreign belongs to $(stat --format=%U -- "$foreign")." \
            "Somebody else has run this here. For it to run as $(id -un), root must remove what that left:" \
            "cd ${root@Q} && sudo rm -rf .rangers .build Package.resolved ${locks@Q}*.lock"
    fi
}

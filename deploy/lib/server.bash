# shellcheck shell=bash
# shellcheck disable=SC2154 # root and state_directory come from setup.bash
# Shared code of the commands that start servers.

# claim_clone: allows one serving command for each clone, since build, logs and keys are shared. Child processes inherit
# the lock, so after a kill it is free only once the last one has exited.
claim_clone() {
    exec {clone_lock}>"$state_directory/lock"
    if ! flock --wait 3 "$clone_lock"; then
        refuse "Another command already runs servers in this clone ($root)." \
            "Stop it, or use another clone."
    fi
    remove_postgres
}

# The caller's environment configures the caller's servers: libpq's variables would select another database, ours
# another APNs.
clear_callers_settings() {
    local name
    for name in "${!PG@}" "${!RANGERS_@}"; do
        unset "$name"
    done
    # Connections to this machine must not use a proxy.
    export no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost
}

# ready_port FILE KEY: prints the port KEY in a ready file; fails until the file exists and is complete.
ready_port() {
    [[ $(cat "$1" 2>/dev/null) =~ \"$2\"[[:space:]]*:[[:space:]]*([0-9]+)[[:space:]]*[,\}] ]] && echo "${BASH_REMATCH[1]}"
}

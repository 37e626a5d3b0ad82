# shellcheck shell=bash
# shellcheck disable=SC2154 # root and state_directory come from setup.bash
# What those have in common who start servers.

# claim_clone: one that serves at a time in a clone, since build, logs and keys are shared. What is started
# inherits the lock, so it is free only once the last process of a killed one is gone.
claim_clone() {
    exec {clone_lock}>"$state_directory/lock"
    if ! flock --wait 3 "$clone_lock"; then
        refuse "A demo, or a check of the API, is running in this clone already ($root)." \
            "Stop it, or run another from another clone."
    fi
    remove_postgres
}

# Settings in the caller's environment are for the caller's servers, not for ours: libpq's would lead to
# another database, ours to another APNs.
forget_callers_settings() {
    local name
    for name in "${!PG@}" "${!RANGERS_@}"; do
        unset "$name"
    done
    # What talks to this machine talks to it directly, whatever proxy the caller's programs use.
    export no_proxy=127.0.0.1,localhost NO_PROXY=127.0.0.1,localhost
}

# ready_port FILE KEY: the port under KEY in a ready file; fails until the file is there and whole.
ready_port() {
    [[ $(cat "$1" 2>/dev/null) =~ \"$2\"[[:space:]]*:[[:space:]]*([0-9]+)[[:space:]]*[,\}] ]] && echo "${BASH_REMATCH[1]}"
}

# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the commands read database_url; log_directory and state_directory come from setup.bash
# A private PostgreSQL cluster: created for each run, reachable over a Unix socket only, removed afterwards.
#
# Each run starts with new phones and keys, so data of an earlier run would only be in the way; creating a cluster takes
# a second or two. The cluster uses no TCP port and no settings of the system's own cluster, so both can run side by
# side.

# The oldest major version that the tests support.
postgres_minimum=15

# find_postgres: sets postgres_bin to the directory of the newest server, which Debian keeps off the PATH.
find_postgres() {
    local candidates=() directory
    mapfile -t candidates < <(printf '%s\n' /usr/lib/postgresql/*/bin | sort --version-sort --reverse)
    if command -v pg_config >/dev/null; then
        candidates+=("$(pg_config --bindir 2>/dev/null)")
    fi
    for directory in "${candidates[@]}"; do
        if [[ -x $directory/initdb && -x $directory/postgres ]]; then
            postgres_version=$("$directory/postgres" --version | sed 's/^[^0-9]*\([0-9.]*\).*/\1/')
            if at_least "$postgres_version" "$postgres_minimum"; then
                postgres_bin=$directory
                return
            fi
        fi
    done
    return 1
}

# start_postgres: starts a cluster with the empty database `rangers` and sets database_url.
start_postgres() {
    if ((EUID == 0)); then
        id postgres >/dev/null 2>&1 || refuse "PostgreSQL cannot run as root, and the user \`postgres\` does not exist."
        as_user=(setpriv --reuid=postgres --regid=postgres --init-groups --)
    fi
    choose_postgres_home
    # A Unix socket's path is limited to 107 bytes, so it cannot be in the project's directory, whose name may be long.
    local socket log=$log_directory/postgres.log
    socket=$(outside_directory /tmp/rangers.XXXXXX)
    # Only its owner can enter the socket's directory (mode 700), so all clients are trusted.
    if ! (cd / && "${as_user[@]}" "$postgres_bin/initdb" --pgdata="$postgres_home/data" --username=rangers \
        --auth=trust --no-locale --encoding=UTF8 --no-sync) >"$log" 2>&1; then
        fail_with_log postgres "initdb could not create a PostgreSQL cluster."
    fi
    # SIGINT is PostgreSQL's fast shutdown. The data need not survive a crash of the machine, so nothing is synced to
    # disk.
    start postgres "$log" INT "$postgres_bin/postgres" -D "$postgres_home/data" -k "$socket" \
        -c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off
    as_user=()
    if ! await postgres 30 "$postgres_bin/pg_isready" --quiet --host="$socket" --username=rangers; then
        fail_with_log postgres "PostgreSQL did not start."
    fi
    "$postgres_bin/createdb" --host="$socket" --username=rangers rangers
    database_url="postgresql://rangers@/rangers?host=$socket"
}

# choose_postgres_home: sets postgres_home to a directory that the server's user can reach: below .rangers/, or
# elsewhere if `postgres` cannot enter the project's directory (for example a clone in /root).
choose_postgres_home() {
    postgres_home=$state_directory/postgres
    rm -rf -- "$postgres_home"
    mkdir "$postgres_home"
    if ((${#as_user[@]} > 0)); then
        chown postgres: "$postgres_home"
        if ! "${as_user[@]}" test -w "$postgres_home"; then
            postgres_home=$(outside_directory /var/tmp/rangers-postgres.XXXXXX)
            say "PostgreSQL's user cannot enter this directory; its data is in $postgres_home for this run."
        fi
    fi
    at_exit+=(remove_postgres)
}

remove_postgres() {
    rm -rf -- "$state_directory/postgres"
    remove_outside_directories
}

# outside_directory TEMPLATE: creates a directory for the server outside the project, prints its path, and records it,
# so that the next run can remove the directory of a killed run.
outside_directory() {
    local directory
    directory=$(mktemp -d "$1")
    printf '%s\n' "$directory" >>"$state_directory/outside"
    if ((${#as_user[@]} > 0)); then
        chown postgres: "$directory"
    fi
    printf '%s\n' "$directory"
}

remove_outside_directories() {
    local directory
    if [[ -f $state_directory/outside ]]; then
        while IFS= read -r directory; do
            if [[ $directory =~ ^(/tmp/rangers|/var/tmp/rangers-postgres)\.[A-Za-z0-9]+$ ]]; then
                rm -rf -- "$directory"
            fi
        done <"$state_directory/outside"
        rm -f -- "$state_directory/outside"
    fi
}

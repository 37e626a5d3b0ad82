# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the commands read database_url; log_directory and state_directory come from setup.bash
# A private PostgreSQL cluster: made anew for each run, reached by a unix socket only, gone afterwards.
#
# Anew, since a run begins with phones and keys that no earlier run knew: what a killed run left in its
# database would only get in the way. Making one takes a second or two. It takes no TCP port and reads no
# settings of the system's own cluster, so both run side by side.

# The oldest major version that the tests run against.
postgres_minimum=15

# find_postgres: sets postgres_bin to the newest server's programs; Debian keeps them off the PATH.
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

# start_postgres: sets database_url once the cluster answers and has the empty database `rangers`.
start_postgres() {
    if ((EUID == 0)); then
        id postgres >/dev/null 2>&1 || refuse "PostgreSQL does not run as root, and there is no user \`postgres\`."
        as_user=(setpriv --reuid=postgres --regid=postgres --init-groups --)
    fi
    choose_postgres_home
    # The path of a unix socket ends at 107 bytes, so it cannot be in a folder whose name we do not choose.
    local socket log=$log_directory/postgres.log
    socket=$(outside_directory /tmp/rangers.XXXXXX)
    # Nobody else gets into the socket's directory (mode 700), so whoever does is trusted.
    if ! (cd / && "${as_user[@]}" "$postgres_bin/initdb" --pgdata="$postgres_home/data" --username=rangers \
        --auth=trust --no-locale --encoding=UTF8 --no-sync) >"$log" 2>&1; then
        fail_with_log postgres "initdb could not make a PostgreSQL cluster."
    fi
    # SIGINT is PostgreSQL's fast shutdown. What a crash of the machine would cost is worth nothing here,
    # so nothing waits for the disk.
    start postgres "$log" INT "$postgres_bin/postgres" -D "$postgres_home/data" -k "$socket" \
        -c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off
    as_user=()
    if ! await postgres 30 "$postgres_bin/pg_isready" --quiet --host="$socket" --username=rangers; then
        fail_with_log postgres "PostgreSQL did not start."
    fi
    "$postgres_bin/createdb" --host="$socket" --username=rangers rangers
    database_url="postgresql://rangers@/rangers?host=$socket"
}

# choose_postgres_home: sets postgres_home to a directory that the server's user can reach: under .rangers/,
# or outside when `postgres` may not enter the project's folder (a clone in /root, say).
choose_postgres_home() {
    postgres_home=$state_directory/postgres
    rm -rf -- "$postgres_home"
    mkdir "$postgres_home"
    if ((${#as_user[@]} > 0)); then
        chown postgres: "$postgres_home"
        if ! "${as_user[@]}" test -w "$postgres_home"; then
            postgres_home=$(outside_directory /var/tmp/rangers-postgres.XXXXXX)
            say "PostgreSQL's user may not enter this folder; its data is in $postgres_home for now."
        fi
    fi
    at_exit+=(remove_postgres)
}

remove_postgres() {
    rm -rf -- "$state_directory/postgres"
    remove_outside_directories
}

# outside_directory TEMPLATE: makes a directory for the server outside the project, prints its path, and
# notes it down, so that the next run can remove what a killed one left.
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

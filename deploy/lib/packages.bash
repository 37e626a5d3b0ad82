# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # what one file of the library sets, another reads
# The packages of the operating system: installs the missing ones only.

# The Debian packages for building and running, for packaging, and for the tests. The linked Swift runtime uses libcurl
# for HTTP.
run_packages=(libpq-dev libnghttp2-dev libssl-dev zlib1g-dev pkg-config postgresql curl)
api_packages=(python3 python3-venv)
packaging_packages=(libcurl4-openssl-dev git dpkg-dev binutils chrpath lintian systemd)
test_packages=(shellcheck pgbouncer nghttp2-client nghttp2-server openssl chromium chromium-driver prometheus "${api_packages[@]}")

# The prefix of commands that need root: empty or sudo.
as_root=()

# have PACKAGE: whether the machine has the contents of PACKAGE. Checks for the contents instead of the package, so that
# a PostgreSQL from another source or a system other than Debian passes.
have() {
    case $1 in
        libpq-dev) pkg-config --exists libpq 2>/dev/null ;;
        libnghttp2-dev) pkg-config --exists libnghttp2 2>/dev/null ;;
        libssl-dev) pkg-config --exists openssl 2>/dev/null ;;
        zlib1g-dev) pkg-config --exists zlib 2>/dev/null ;;
        postgresql) find_postgres ;;
        libcurl4-openssl-dev) pkg-config --exists libcurl 2>/dev/null ;;
        dpkg-dev) command -v dpkg-shlibdeps >/dev/null ;;
        binutils) command -v strip >/dev/null ;;
        systemd) command -v systemd-analyze >/dev/null ;;
        systemd-container) command -v systemd-nspawn >/dev/null ;;
        nghttp2-client) command -v h2load >/dev/null ;;
        nghttp2-server) command -v nghttpd >/dev/null ;;
        python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
        prometheus) command -v promtool >/dev/null ;;
        chromium-driver) command -v chromedriver >/dev/null ;;
        fonts-noto-color-emoji) [[ -n $(fc-list ':lang=und-zsye' 2>/dev/null) ]] ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# require_packages PACKAGE…: returns if the machine has all of them, after installing missing ones without asking. If
# only root can install them, it prints one command that installs what both deploy/demo and deploy/test need, so that
# the user is asked once.
require_packages() {
    if [[ $(uname -s) != Linux ]]; then
        refuse "Linux is required (the network layer uses epoll); this is $(uname -s)."
    fi
    # An ordinary user's PATH may lack Debian's directories for servers.
    PATH=$PATH:/usr/sbin:/sbin
    local package missing
    find_missing "$@"
    if ((${#missing[@]} == 0)); then
        return
    fi
    if ! command -v apt-get >/dev/null; then
        refuse "Missing packages (Debian names): ${missing[*]}" \
            "Install this system's equivalents, including headers, and try again."
    fi
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            find_missing "$@" "${run_packages[@]}" "${test_packages[@]}"
            refuse "Packages are missing, and only root can install them. Run this command and try again" \
                "(it installs the packages of deploy/demo and deploy/test):" \
                "sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${missing[*]}"
        fi
        as_root=(sudo -n)
    fi
    install_packages "${missing[@]}"
    for package in "${missing[@]}"; do
        have "$package" || fail "$package is installed, but its contents were not found." "See $log_directory/apt.log"
    done
}

# find_missing PACKAGE…: sets `missing` to the packages that the machine lacks, each once.
find_missing() {
    missing=()
    for package in "$@"; do
        [[ " ${missing[*]} " == *" $package "* ]] || have "$package" || missing+=("$package")
    done
}

# install_packages PACKAGE…: installs packages with apt-get, without questions.
install_packages() {
    local log=$log_directory/apt.log started=$SECONDS
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --option DPkg::Lock::Timeout=300)
    say "Installing with apt-get: $*"
    # An unrelated mirror that is down must not stop the installation; if it matters, the installation fails.
    "${apt[@]}" update </dev/null >"$log" 2>&1 || true
    prevent_main_cluster "$@"
    prevent_services "$@"
    if ! "${apt[@]}" install --yes --no-install-recommends "$@" </dev/null >>"$log" 2>&1; then
        reallow_main_cluster
        reallow_services
        tail -n 20 "$log" >&2
        fail "apt-get could not install: $*" "Full log: $log"
    fi
    reallow_main_cluster
    reallow_services
    done_step "installed $* ($((SECONDS - started)) s)"
}

# Debian's `postgresql` creates a cluster named main and starts it on port 5432, which is not wanted here. This
# configuration fragment is Debian's way to prevent that; it exists only while apt-get runs.
main_cluster_fragment=/etc/postgresql-common/createcluster.d/emoji-rangers-parties.conf

prevent_main_cluster() {
    if [[ " $* " == *" postgresql "* ]]; then
        at_exit+=(reallow_main_cluster)
        "${as_root[@]}" mkdir -p "${main_cluster_fragment%/*}"
        echo 'create_main_cluster = false' | "${as_root[@]}" tee "$main_cluster_fragment" >/dev/null
    fi
}

reallow_main_cluster() {
    if [[ -e $main_cluster_fragment ]]; then
        "${as_root[@]}" rm -f "$main_cluster_fragment"
    fi
}

# Debian's `prometheus`, of which only promtool is needed, starts a server on port 9090, and `pgbouncer` one on 6432. A
# policy that denies all services is Debian's way to install them without starting them. It exists only while apt-get
# runs, and only if the machine has no policy of its own.
service_packages=(prometheus pgbouncer)
service_policy=/usr/sbin/policy-rc.d
created_service_policy=""
prevented_services=()

# prevent_services PACKAGE…: prevents the services of these packages from starting.
prevent_services() {
    local package
    for package in "${service_packages[@]}"; do
        if [[ " $* " == *" $package "* ]]; then
            prevented_services+=("$package.service")
        fi
    done
    if ((${#prevented_services[@]} > 0)) && [[ ! -e $service_policy ]]; then
        at_exit+=(reallow_services)
        created_service_policy=yes
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$service_policy" >/dev/null
        "${as_root[@]}" chmod 755 "$service_policy"
    fi
}

reallow_services() {
    if [[ -n $created_service_policy ]]; then
        created_service_policy=""
        "${as_root[@]}" rm -f "$service_policy"
        if command -v systemctl >/dev/null; then
            # They must not start at the next boot either.
            "${as_root[@]}" systemctl disable --quiet "${prevented_services[@]}" </dev/null >/dev/null 2>&1 || true
        fi
    fi
}

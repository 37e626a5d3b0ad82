# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # what one file of the library sets, another reads
# The packages of the operating system: find what is missing, install only that.

# What building and running need, and what packaging and the tests need besides, by Debian's names. The Swift runtime that
# is linked in speaks HTTP through libcurl.
run_packages=(libpq-dev libnghttp2-dev libssl-dev zlib1g-dev pkg-config postgresql curl)
api_packages=(python3 python3-venv)
packaging_packages=(libcurl4-openssl-dev git dpkg-dev binutils chrpath lintian systemd)
test_packages=(shellcheck pgbouncer nghttp2-client nghttp2-server openssl chromium chromium-driver prometheus "${api_packages[@]}")

# What a command is prefixed with to run it as root: nothing, or sudo.
as_root=()

# have PACKAGE: whether the machine has what PACKAGE gives, wherever it came from. Asking for the thing and
# not for the package lets a PostgreSQL from elsewhere, or a system that is no Debian, pass.
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
        *) command -v "$1" >/dev/null ;;
    esac
}

# require_packages PACKAGE…: returns when the machine has them all, installing what it can without asking.
require_packages() {
    if [[ $(uname -s) != Linux ]]; then
        refuse "This runs on Linux (the network layer is built on epoll); this is $(uname -s)."
    fi
    # An ordinary user's PATH may lack the places where Debian puts servers.
    PATH=$PATH:/usr/sbin:/sbin
    local package missing=()
    for package in "$@"; do
        have "$package" || missing+=("$package")
    done
    if ((${#missing[@]} == 0)); then
        return
    fi
    if ! command -v apt-get >/dev/null; then
        refuse "This machine lacks (by Debian's names): ${missing[*]}" \
            "Install what this system calls them, headers included, and try again."
    fi
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null || ! sudo -n true 2>/dev/null; then
            refuse "Packages are missing, and only root may install them. Run this, then try again:" \
                "sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${missing[*]}"
        fi
        as_root=(sudo -n)
    fi
    install_packages "${missing[@]}"
    for package in "${missing[@]}"; do
        have "$package" || fail "$package is installed, but what it gives was not found." "See $log_directory/apt.log"
    done
}

# install_packages PACKAGE…: through apt-get, which answers its own questions.
install_packages() {
    local log=$log_directory/apt.log started=$SECONDS
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --option DPkg::Lock::Timeout=300)
    say "Installing with apt-get: $*"
    # A mirror of somebody else's that is down must not stop us: installing tells whether it matters.
    "${apt[@]}" update </dev/null >"$log" 2>&1 || true
    forbid_main_cluster "$@"
    forbid_services "$@"
    if ! "${apt[@]}" install --yes --no-install-recommends "$@" </dev/null >>"$log" 2>&1; then
        allow_main_cluster
        allow_services
        tail -n 20 "$log" >&2
        fail "apt-get could not install: $*" "All it said: $log"
    fi
    allow_main_cluster
    allow_services
    done_step "installed $* ($((SECONDS - started)) s)"
}

# Debian's `postgresql` creates a cluster named main and starts it on port 5432: a server that nobody here
# asked for. This settings fragment is Debian's own way to say no; it is there only while apt-get runs.
main_cluster_fragment=/etc/postgresql-common/createcluster.d/emoji-rangers-parties.conf

forbid_main_cluster() {
    if [[ " $* " == *" postgresql "* ]]; then
        at_exit+=(allow_main_cluster)
        "${as_root[@]}" mkdir -p "${main_cluster_fragment%/*}"
        echo 'create_main_cluster = false' | "${as_root[@]}" tee "$main_cluster_fragment" >/dev/null
    fi
}

allow_main_cluster() {
    if [[ -e $main_cluster_fragment ]]; then
        "${as_root[@]}" rm -f "$main_cluster_fragment"
    fi
}

# Debian's `prometheus`, of which only promtool is wanted, starts a server on port 9090, and its `pgbouncer` one on 6432. A
# policy that says no to all services is Debian's own way to install them without starting them; it is there only while
# apt-get runs, and only where the machine has none of its own.
service_packages=(prometheus pgbouncer)
service_policy=/usr/sbin/policy-rc.d
made_service_policy=""
forbidden_services=()

# forbid_services PACKAGE…: those of them that would start one.
forbid_services() {
    local package
    for package in "${service_packages[@]}"; do
        if [[ " $* " == *" $package "* ]]; then
            forbidden_services+=("$package.service")
        fi
    done
    if ((${#forbidden_services[@]} > 0)) && [[ ! -e $service_policy ]]; then
        at_exit+=(allow_services)
        made_service_policy=yes
        printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$service_policy" >/dev/null
        "${as_root[@]}" chmod 755 "$service_policy"
    fi
}

allow_services() {
    if [[ -n $made_service_policy ]]; then
        made_service_policy=""
        "${as_root[@]}" rm -f "$service_policy"
        if command -v systemctl >/dev/null; then
            # Not at the next boot either.
            "${as_root[@]}" systemctl disable --quiet "${forbidden_services[@]}" </dev/null >/dev/null 2>&1 || true
        fi
    fi
}

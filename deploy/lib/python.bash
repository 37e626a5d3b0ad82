# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # the commands read python_programs; the rest comes from setup.bash
# Python programs, in virtual environments of this clone.

# require_python FILE [NAME]: sets python_programs to the directory of programs of the packages that FILE lists, in the
# environment NAME. The environment is recreated when FILE has changed or an installation was interrupted.
require_python() {
    local environment=$state_directory/${2:-python} log=$log_directory/pip.log started=$SECONDS
    python_programs=$environment/bin
    if cmp --quiet "$1" "$environment/made-of"; then
        return
    fi
    rm -rf -- "$environment"
    progress "installing Python packages"
    if ! { python3 -m venv "$environment" && "$python_programs/python" -m pip install --no-input --requirement "$1"; } \
        </dev/null >"$log" 2>&1; then
        clear_progress
        tail -n 20 "$log" >&2
        fail "pip could not install the packages of $1." "Full log: $log"
    fi
    clear_progress
    cp -- "$1" "$environment/made-of"
    done_step "installed Python packages ($((SECONDS - started)) s)"
}

#!/bin/bash
# Keeps the sensors of a greenhouse: starts them, reads them, and tells somebody when one is silent.
set -euo pipefail
shopt -s nullglob extglob

readonly root=${GREENHOUSE_ROOT:-/var/lib/greenhouse}
readonly -a beds=(north south "long bed" seedlings)
declare -A limits=([north]=31 [south]=34 ["long bed"]=29 [seedlings]=27)
declare -i failures=0 verbose=0
dry_run=

usage() {
    cat <<-END
	usage: ${0##*/} [-v] [-n] [-l LIMITS] COMMAND [BED]...

	Commands:
	    start    starts the reader of each bed
	    check    compares the last readings with the limits
	    prune    removes readings older than thirty days
	END
    exit "${1:-2}"
}

log() {
    local level=$1 text
    shift
    printf -v text '%s' "$*"
    if ((verbose > 0)) || [[ $level != debug ]]; then
        printf '%(%F %T)T %-5s %s\n' -1 "$level" "$text" >&2
    fi
}

run() {
    if [[ -n $dry_run ]]; then
        log info "would run: ${*@Q}"
        return 0
    fi
    "$@" || { failures+=1; log error "failed: $1"; return 1; }
}

read_limits() {
    local line name value
    while IFS='=' read -r name value; do
        name=${name##+([[:space:]])}
        case $name in
            '#'* | '') continue ;;
            *[!a-z\ ]*) log warn "odd name: $name" ;;
            *) limits[$name]=$((value * 10 / 10)) ;;
        esac
    done <"$1"
}

last_reading() {
    local bed=$1 file newest=
    for file in "$root/$bed"/*.log; do
        [[ -z $newest || $file -nt $newest ]] && newest=$file
    done
    [[ -n $newest ]] || return 1
    tail -n 1 "$newest" | awk -F, '$2 ~ /^[0-9.]+$/ { printf "%d\n", $2 }'
}

start() {
    local bed pid
    for bed in "$@"; do
        mkdir -p "$root/$bed"
        if [[ -r $root/$bed/pid ]] && read -r pid <"$root/$bed/pid" && kill -0 "$pid" 2>/dev/null; then
            log debug "$bed is read by $pid already"
            continue
        elif [[ -n ${SERIAL:-} ]]; then
            bc -l <<SETUP >"$root/$bed/offset" &
scale = 2
${limits[$bed]} / 10
SETUP
        else
            log info "no serial line for $bed"
        fi
        (
            trap 'rm -f "$root/$bed/pid"' EXIT
            until ! run sensor-read --bed "$bed" >>"$root/$bed/$(date +%F).log" 2>&1; do
                sleep "${INTERVAL:-60}"
            done
        ) &
        echo "$!" >"$root/$bed/pid"
    done
    wait
}

check() {
    local bed value
    local -i silent=0
    for bed; do
        if ! value=$(last_reading "$bed"); then
            silent=$((silent + 1))
            log warn "$bed is silent"
        elif ((value > limits[$bed])); then
            log error "$bed: $value degrees, at most ${limits[$bed]}"
            run notify --urgent "$bed" <<<"It is $value degrees in $bed." || true
        fi
    done
    return $((silent > 0 ? 3 : 0))
}

prune() {
    local bed old
    for bed in "$@"; do
        while IFS= read -r -d '' old; do
            run rm -f -- "$old"
        done < <(find "$root/$bed" -name '*.log' -mtime +30 -print0)
    done
}

main() {
    local option command
    while getopts 'hl:nv' option; do
        case $option in
            h) usage 0 ;;
            l) read_limits "$OPTARG" ;;
            n) dry_run=yes ;;
            v) verbose+=1 ;;
            *) usage ;;
        esac
    done
    shift $((OPTIND - 1))
    command=${1:-check}
    shift || true
    (($# > 0)) || set -- "${beds[@]}"
    case $command in
        start | check | prune) "$command" "$@" ;;
        *) log error "no such command: $command"; usage ;;
    esac
    return "$((failures > 0))"
}

main "$@"

#!/bin/sh
# Installs vigie as a systemd service, or upgrades it: from an unpacked package, or from a checkout after `npm run build`.
#
#   sudo sh systemd/install.sh [--service ADDRESS|none] [--official rte] [--broker ADDRESS] [--username NAME] [--page]
#
# The options are written into the configuration; without them what stands there stays. --page: the page, which only this machine
# reaches, is open to every machine that reaches this one (http.listen: 0.0.0.0:8427). While it invents days, nothing is started.
#
# What it puts where:
#   /usr/local/lib/vigie                the program, replaced by an upgrade
#   /usr/local/bin/vigie                the command
#   /etc/systemd/system/vigie.service   the service
#   /etc/vigie/vigie.yaml               the configuration: kept where there is one
#   /etc/vigie/mqtt_password            the broker's password, for root only; empty: none. Kept where there is one
# What `vigie setup` has written into this folder, the password that it names, and the tokens of messages beside it are taken where
# there are none yet.
#   user and group vigie; systemd makes /var/lib/vigie (what vigie knows: kept) and /run/vigie (its health)
set -eu
umask 022
package=$(cd "$(dirname "$0")/.." && pwd)
program=/usr/local/lib/vigie
config=/etc/vigie/vigie.yaml

main() {
  service= official= broker= username= listen= secret= beside=
  while [ $# -gt 0 ]; do
    case $1 in
      --page) listen=0.0.0.0:8427; shift; continue ;;
      -h | --help) exec sed -n '2,/^set/{s/^# \{0,1\}//;/^set/!p}' "$0" ;;
      --service | --official | --broker | --username) [ -n "${2-}" ] || end "$1 needs a value" ;;
      *) end "what is $1? expected --service ADDRESS, --official SOURCE, --broker ADDRESS, --username NAME or --page" ;;
    esac
    case $1 in
      --service) service=$2 ;;
      --official) official=$2 ;;
      --broker) broker=$2 ;;
      --username) username=$2 ;;
    esac
    shift 2
  done
  require_machine
  require_account
  was_running=$(systemctl is-active vigie || true)
  prepare_configuration
  install_program
  install_configuration
  systemctl daemon-reload
  start
}

end() {
  echo "install.sh: $*" >&2
  exit 1
}

require_machine() {
  [ "$(id -u)" = 0 ] || end "only root can install a service: sudo sh $0"
  [ -d /run/systemd/system ] || end "this machine was not started by systemd"
  command -v systemd-notify >/dev/null || end "systemd-notify is missing, which is a part of systemd"
  [ -f "$package/dist/main.js" ] || end "$package/dist is missing: npm ci && npm run build makes it; the package from npm pack has it"
  # Where services look for it; a Node in somebody's home is none for a service.
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  command -v node >/dev/null || end "Node is missing. On Debian 13 and its like: apt install nodejs"
  node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major > 20 || (major == 20 && minor >= 19) ? 0 : 1)' ||
    end "vigie needs Node 20.19 or newer, got $(node --version). Debian 13 has it; on Debian 12 take one from nodesource.com"
}

# The service's account is nobody's: not that of a person who happens to be called so.
require_account() {
  number=$(id -u vigie 2>/dev/null) || return 0
  [ "$number" -lt 1000 ] || end "there is an account vigie of a person (user $number): the service needs that name for its own"
}

# The configuration as it will be is checked before anything is changed: else what runs now runs on.
prepare_configuration() {
  new=$(mktemp)
  trap 'rm -f "$new"' EXIT
  if [ -e "$config" ]; then
    cat "$config" >"$new"
  else
    # systemd passes the password on: the service itself may not read that file.
    secret=$(sed -n 's/^  password_file: "\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$package/config/vigie.yaml")
    [ -z "$secret" ] || [ -f "$secret" ] || end "there is no file $secret, which mqtt.password_file names"
    # What it has put beside its configuration, such as the token of a message, goes to /etc/vigie, too.
    beside=$(sed -n "s|^ *secret_file: \"\{0,1\}$package/config/\([a-z0-9_]*_secret\)\"\{0,1\}$|\1|p" "$package/config/vigie.yaml")
    sed "/^  password_file: /d; s|$package/config/\([a-z0-9_]*_secret\)|/etc/vigie/\1|" "$package/config/vigie.yaml" >"$new"
  fi
  fill base_url '  base_url: [^#]*' "$service"
  # The shipped configuration has this group as a comment.
  [ -z "$official" ] || sed -i 's/^# official:$/official:/' "$new"
  fill source '\(# \)\{0,1\}  source: [^#]*' "$official"
  fill url '  url: [^#]*' "$broker"
  fill username '  \(# \)\{0,1\}username: [^#]*' "$username"
  fill listen '  listen: [^#]*' "$listen"
  checked=$(node "$package/dist/main.js" check --config "$new" 2>&1) || {
    echo "$checked" | sed "s|$new|$config|" >&2
    end "nothing was changed: the configuration has to be right first"
  }
}

# Puts a value where the configuration has the option, at the first place that looks like it.
fill() {
  [ -n "$3" ] || return 0
  case $3 in *[!]A-Za-z0-9:/._~%@+=?[-]*) end "$1 cannot be $3: write it into $config" ;; esac
  grep -q "^$2\$" "$new" || end "$config has no line of its own for $1: put it there by hand"
  sed -i "0,/^$2\$/s|^$2\$|  $1: \"$3\"|" "$new"
}

install_program() {
  getent passwd vigie >/dev/null ||
    useradd --system --user-group --home-dir /var/lib/vigie --no-create-home --shell /usr/sbin/nologin vigie
  rm -rf "$program.new" "$program.old"
  mkdir -p "$program.new"
  for part in dist config docs systemd package.json LICENSE README.md; do
    cp -R --no-preserve=all "$package/$part" "$program.new/"
  done
  if [ -e "$program" ]; then mv "$program" "$program.old"; fi
  mv "$program.new" "$program"
  rm -rf "$program.old"
  install -m 755 "$program/systemd/vigie" /usr/local/bin/vigie
  install -m 644 "$program/systemd/vigie.service" /etc/systemd/system/vigie.service
}

install_configuration() {
  mkdir -p /etc/vigie
  # Through a link, where somebody made it one; and readable for the service, whatever its owner made of it.
  cmp -s "$new" "$config" || cat "$new" >"$config"
  setpriv --reuid=vigie --regid=vigie --clear-groups -- test -r "$config" || { chgrp vigie "$config" && chmod g+r "$config"; }
  install -m 644 "$program/config/vigie.schema.json" /etc/vigie/vigie.schema.json
  [ -e /etc/vigie/mqtt_password ] || install -m 600 "${secret:-/dev/null}" /etc/vigie/mqtt_password
  for name in $beside; do
    [ -e "/etc/vigie/$name" ] || install -m 640 -g vigie "$package/config/$name" "/etc/vigie/$name"
  done
}

start() {
  case $checked in
    *'source    simulator'* | *'broker    embedded'*)
      if [ "$was_running" != active ]; then
        cat <<TEXT
vigie is installed, but was not started: it would invent days.
  sudo vigie setup                      asks for everything, and writes the configuration; or by hand:
  sudo nano $config                     service.base_url and mqtt.url: your service and your broker
  sudo nano /etc/vigie/mqtt_password    the broker's password, where it asks for one
  sudo vigie check --live               do both answer?
  sudo systemctl enable --now vigie     from then on it starts with this machine
TEXT
        return
      fi ;;
  esac
  systemctl --quiet enable vigie
  systemctl restart vigie || {
    journalctl --no-pager --unit vigie --lines 10 >&2
    end "vigie does not start; why is said above"
  }
  # The broker and the service take a moment; whether they answer is said, and is no reason to fail.
  for _ in 1 2 3 4 5 6 7 8 9 10; do vigie health >/dev/null 2>&1 && break; sleep 1; done
  vigie health || true
  cat <<TEXT

vigie $(vigie --version) runs, and starts with this machine. What next:
  vigie health             is all well?
  sudo vigie show          what is on the broker
  journalctl -fu vigie     what it says
  sudo nano $config        the configuration; taken over when saved
  sudo nano /etc/vigie/mqtt_password, then sudo systemctl restart vigie: the broker's password
TEXT
}

main "$@"

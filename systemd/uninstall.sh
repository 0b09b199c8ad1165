#!/bin/sh
# Takes vigie off this machine, with its topics on the broker: sudo sh /usr/local/lib/vigie/systemd/uninstall.sh [--keep]
# --keep leaves configuration, password, state and topics for a vigie that comes back. The journal keeps its old lines.
set -eu
[ "$(id -u)" = 0 ] || { echo "uninstall.sh: only root can take a service away: sudo sh $0" >&2; exit 1; }
case ${1-} in '' | --keep) ;; *) echo "uninstall.sh: what is $1? expected --keep or nothing" >&2; exit 1 ;; esac

[ -x /usr/local/bin/vigie ] || { echo "vigie is not installed here"; exit; }

systemctl --quiet disable --now vigie
if [ "${1-}" != --keep ]; then
  # A broker of vigie's own forgot everything when it ended.
  case "$(vigie check 2>&1)" in
    *'broker    embedded'*) ;;
    *) timeout 30 vigie purge || echo "uninstall.sh: what vigie published may still be on the broker" >&2 ;;
  esac
fi
rm -rf /usr/local/lib/vigie /usr/local/bin/vigie /etc/systemd/system/vigie.service
systemctl daemon-reload
systemctl --quiet reset-failed vigie 2>/dev/null || true
if [ "${1-}" = --keep ]; then
  echo "vigie is gone. Kept: /etc/vigie and /var/lib/vigie, the user vigie, and its topics"
  exit
fi
rm -rf /etc/vigie /var/lib/vigie /etc/systemd/system/vigie.service.d
if getent passwd vigie >/dev/null; then userdel vigie; fi
echo "vigie is gone, and nothing of it is left but its lines in the journal"

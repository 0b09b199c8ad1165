#!/bin/sh
# Takes vigie off this machine, with its topics on the broker: sudo sh /usr/local/lib/vigie/systemd/uninstall.sh [--keep]
# --keep leaves configuration, password, state and topics for a vigie that comes back; --leave-topics takes all but what is on
# the broker, should that be gone for good. The journal keeps its old lines.
set -eu
[ "$(id -u)" = 0 ] || { echo "uninstall.sh: only root can take a service away: sudo sh $0" >&2; exit 1; }
case ${1-} in '' | --keep | --leave-topics) ;; *) echo "uninstall.sh: what is $1? expected --keep, --leave-topics or nothing" >&2; exit 1 ;; esac

found=
for place in /usr/local/bin/vigie /usr/local/lib/vigie /etc/systemd/system/vigie.service /etc/vigie /var/lib/vigie; do
  if [ -e "$place" ]; then found=yes; fi
done
[ -n "$found" ] || { echo "vigie is not installed here"; exit; }

systemctl --quiet disable --now vigie 2>/dev/null || true
if [ -z "${1-}" ] && [ -x /usr/local/bin/vigie ]; then
  # A broker of vigie's own forgot everything when it ended.
  case "$(vigie check 2>&1)" in
    *'broker    embedded'*) ;;
    *) timeout 60 vigie purge || {
      echo "uninstall.sh: vigie is stopped, but its topics are still on the broker, so nothing else was taken away." >&2
      echo "Start the broker and try again; or --leave-topics, if it is gone for good" >&2
      exit 1
    } ;;
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
if number=$(id -u vigie 2>/dev/null) && [ "$number" -lt 1000 ]; then
  # Whatever somebody still runs with the command, `vigie simulator` say, runs as this user.
  for process in /proc/[0-9]*; do
    if [ "$(stat -c %U "$process" 2>/dev/null)" = vigie ]; then kill -KILL "${process#/proc/}" 2>/dev/null || true; fi
  done
  userdel vigie || { sleep 1; userdel vigie; }
fi
left=${1:+, and its topics on the broker}
echo "vigie is gone, and nothing of it is left but its lines in the journal$left"

# For scripts that run on the machine: what they find is printed for the test that started it.

# finding NAME COMMAND…: runs it; what it prints, and how it ends, is known by that name.
finding() {
  local name=$1 code=0
  shift
  printf '\n@@ %s\n' "$name"
  "$@" 2>&1 || code=$?
  printf '\n@@ = %s\n' "$code"
}

# until_so SECONDS COMMAND…: waits until it succeeds, and prints how long that took, in tenths of a second.
until_so() {
  local limit=$1 began now
  shift
  began=$(date +%s%N)
  while :; do
    now=$(date +%s%N)
    if "$@" >/dev/null 2>&1; then echo $(((now - began) / 100000000)); return 0; fi
    if ((now - began > limit * 1000000000)); then echo "not within $limit s: $*"; return 1; fi
    sleep 0.1
  done
}

pid() { systemctl show --property MainPID --value vigie; }
is_another() { [ "$(pid)" != 0 ] && [ "$(pid)" != "$1" ] && systemctl --quiet is-active vigie; }
of_unit() { systemctl show vigie --property "$1" --value; }
sub() { mosquitto_sub -h 127.0.0.1 "${reader[@]}" "$@"; }
topic() { sub -t "vigie/$1" -C 1 -W 3 -F %p; }
says() { [ "$(topic "$1")" = "$2" ]; }
# Everything that is retained, one topic a line.
retained() { sub -t '#' --retained-only -W 1 -v | sort; }
drop_in() { mkdir -p /run/systemd/system/vigie.service.d; cat >"/run/systemd/system/vigie.service.d/$1.conf"; systemctl daemon-reload; }
no_drop_ins() { rm -rf /run/systemd/system/vigie.service.d; systemctl daemon-reload; }
# days_of COLOR DAY…: lines of a file of days, each day as a number of days from today.
days_of() { local color=$1 day; shift; for day; do date -d "$day day" "+%F,$color"; done; }
# The forecast service: four days of rouge from yesterday on, then blanc, whatever the season.
start_service() {
  [ -e /opt/days.csv ] || { echo date,color; days_of rouge -1 0 1 2; days_of blanc 3 4 5 6 7 8; } >/opt/days.csv
  systemd-run --quiet --unit=forecast --property=DynamicUser=yes node /package/dist/main.js simulator --port 8787 --days /opt/days.csv
  until_so 60 curl -sf http://127.0.0.1:8787/v1/public
}
in_journal() { journalctl --no-pager --quiet --output=cat "$@"; }
reader=()

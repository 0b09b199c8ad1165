# The commands of docs/raspberry-pi.md, as they stand there. What the machine lacks is a network, a keyboard and sudo.
set -u
. /suite/findings.sh
mkdir -p /root/pi && cd /root/pi && cp /download/vigie-*.tgz .
# The guide asks two sources, and vigie refuses a rouge of RTE at a weekend or in summer; bleu is possible on each day.
{ echo date,color; days_of bleu -1 0 1 2 3 4 5 6 7 8; } >/opt/days.csv
start_service >/dev/null
sudo() { "$@"; }
export -f sudo
export PAGER=cat SYSTEMD_PAGER=cat

typed() {
  sed -e 's/ *#.*//' -e 's#--service none --official rte#--service http://127.0.0.1:8787 --official http://127.0.0.1:8787#' -e 's#mosquitto_passwd -c \(\S*\) vigie#mosquitto_passwd -b -c \1 vigie hunter2#'
}
number=0
while IFS= read -r line; do
  case $line in '' | *✋*) continue ;; esac
  number=$((number + 1))
  command=$(typed <<<"$line")
  # What is typed where a command asks; and the moment that a person takes between two commands.
  finding "$number" bash -c "$command" <<<hunter2
  finding "command $number" echo "$command"
  case $command in *restart\ vigie) until_so 60 vigie health >/dev/null ;; esac
done < <(awk '/^```sh/ { on = 1; next } /^```/ { on = 0 } on' /docs/raspberry-pi.md)
finding "commands" echo "$number"

# One machine over several boots: reboots, power cuts, a wrong clock. The service is there at first, and then rarely.
set -u
. /suite/findings.sh
cd /root

# What is known of each day, and what follows from it.
days() { for name in now next today tomorrow d2 d3 d4 d5 d6 d7; do echo "$name $(topic $name/date) $(topic $name/color)"; done; topic rules/rouge_ahead/state; }
same_days() { days | diff known -; }
health_of_boot() {
  finding "boot $1: unit" systemctl show vigie --property ActiveState,NRestarts
  finding "boot $1: failed units" systemctl --failed --no-legend --plain
  finding "boot $1: multi-user.target" systemctl is-active multi-user.target
  finding "boot $1: all on the broker" until_so 60 vigie health
  finding "boot $1: availability" topic availability
  finding "boot $1: days" same_days
  finding "boot $1: warnings" in_journal -u vigie -b -p 4
}
cut_power() {
  echo 100 >/out/rc
  systemctl poweroff -ff
  sleep 60
}

case $1 in
  1)
    finding "install with the service away" sh /package/systemd/install.sh --service http://127.0.0.1:8787 --broker mqtt://127.0.0.1
    finding "active with the service away" systemctl is-active vigie
    start_service >/dev/null
    # Four days of rouge, maybe in July.
    sed -i 's/^  laws: tempo/  laws: off/' /etc/vigie/vigie.yaml
    # It is about noon in the tariff's zone: no day begins or ends between these boots.
    sed -i "s#^  time_zone: .*#  time_zone: Etc/GMT$(printf %+d $(($(date -u +%-H) - 12)))#" /etc/vigie/vigie.yaml
    finding "its tariff" grep -E '^  (time_zone|laws)' /etc/vigie/vigie.yaml
    rm /etc/vigie/mqtt_password
    finding "restart without a password file" systemctl restart vigie
    until_so 60 says service/status ok >/dev/null
    days >known
    finding "known" cat known
    exit 100
    ;;
  2)
    # The service did not come back. Then the power goes, for broker and vigie at once.
    health_of_boot 2
    finding "boot 2: service" curl -sS http://127.0.0.1:8787/
    cut_power
    ;;
  3)
    # Next time the broker has forgotten all, and something waits for the time of a network that is not there.
    health_of_boot 3
    cat >/etc/systemd/system/time-wait.service <<'UNIT'
[Unit]
DefaultDependencies=no
Before=time-sync.target
Wants=time-sync.target
[Service]
Type=oneshot
ExecStart=sleep infinity
TimeoutStartSec=infinity
[Install]
WantedBy=sysinit.target
UNIT
    systemctl --quiet enable time-wait
    rm -f /var/lib/mosquitto/mosquitto.db
    cut_power
    ;;
  4)
    finding "boot 4: still waited for" systemctl list-jobs --no-legend time-sync.target
    finding "boot 4: waited" bash -c 'echo $((($(systemctl show vigie -P ActiveEnterTimestampMonotonic) - $(systemctl show vigie -P InactiveExitTimestampMonotonic)) / 1000000))'
    health_of_boot 4
    systemctl stop time-wait

    [ -e /faketime/libfaketimeMT.so.1 ] || exit 0
    # A clock that is a day behind, as on a Pi without a battery; set right by the network later.
    printf '[Service]\nEnvironment=LD_PRELOAD=/faketime/libfaketimeMT.so.1 FAKETIME_TIMESTAMP_FILE=/opt/clock FAKETIME_CACHE_DURATION=1 FAKETIME_DONT_FAKE_MONOTONIC=1\n' | drop_in clock
    echo -1d >/opt/clock
    systemctl restart vigie
    finding "clock behind the state: problem" until_so 60 says service/problem_code clock
    finding "clock behind the state: now" topic now/color
    finding "clock behind the state: unit" systemctl is-active vigie
    systemctl stop vigie
    rm /var/lib/vigie/state.json /var/lib/vigie/state.previous.json
    vigie purge >/dev/null 2>&1
    start_service >/dev/null
    systemctl start vigie
    finding "clock behind the service: problem" until_so 60 says service/problem_code clock
    finding "clock behind the service: now" topic now/color
    finding "clock behind the service: today" topic today/color
    finding "clock behind the service: forecast" topic forecast
    echo +0 >/opt/clock
    finding "clock set right" until_so 60 same_days
    finding "clock set right: problem" topic service/problem_code
    ;;
esac

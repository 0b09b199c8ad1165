# The service from its installation to its removal, in one boot, with a broker that asks for a password.
set -u
. /suite/findings.sh
secret=Bon-jour-7731
echo $secret >/tmp/secret
reader=(-u reader -P of-all)
cd /tmp

files() {
  find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /dev -o -path /tmp -o -path /out -o -path /var/log -o -path /var/lib/mosquitto \
    -o -path /package -o -path /suite -o -path /faketime \) -prune -o -printf '%M %u:%g %p\n' | sort
  sha256sum /etc/passwd /etc/group /etc/shadow /etc/gshadow
  find /run /tmp -name '*vigie*'
}
nobody() { su nobody -s /bin/sh -c "$*"; }
install_vigie() { sh /package/systemd/install.sh "$@"; }
state_id() { jq -r .installation /var/lib/vigie/state.json; }

printf 'listener 1883 127.0.0.1\nallow_anonymous false\npassword_file /etc/mosquitto/passwords\n' >/etc/mosquitto/conf.d/network.conf
install -m 600 -o mosquitto /dev/null /etc/mosquitto/passwords
mosquitto_passwd -b /etc/mosquitto/passwords vigie $secret
mosquitto_passwd -b /etc/mosquitto/passwords reader of-all
systemctl restart mosquitto
mkdir -p unbuilt && cp -R /package/systemd unbuilt/
start_service >/dev/null
files >before

# --- Install ---------------------------------------------------------------------------------------------------------
finding "install as nobody" nobody sh /package/systemd/install.sh
finding "install of what was not built" sh unbuilt/systemd/install.sh
finding "install with a wrong word" install_vigie --servce http://127.0.0.1:8787
finding "install with an address that is none" install_vigie --service forecast.example.org --broker mqtt://127.0.0.1
finding "install with a value that is missing" install_vigie --service
files >untouched
finding "after installs that were refused" diff before untouched
finding "install without addresses" install_vigie
finding "after it: enabled" systemctl is-enabled vigie
finding "after it: active" systemctl is-active vigie
echo $secret | install -m 600 /dev/stdin /etc/vigie/mqtt_password
finding "install" install_vigie --service http://127.0.0.1:8787 --broker mqtt://127.0.0.1:1883 --username vigie
finding "its configuration" grep -E '^  (base_url|url|username)' /etc/vigie/vigie.yaml
finding "online" until_so 60 says availability online
finding "topics" retained
# The status follows the topics.
finding "status" until_so 60 sh -c 'systemctl show vigie --property StatusText | grep -q "broker reached"'
finding "unit" systemctl show vigie --property ActiveState,SubState,NRestarts,User,StatusText
finding "page" until_so 60 bash -c 'exec 3<>/dev/tcp/127.0.0.1/8427 && printf "GET /alive HTTP/1.0\r\nHost: localhost\r\n\r\n" >&3 && grep -qx alive <&3'
finding "security" systemd-analyze --no-pager security vigie.service
finding "verify" systemd-analyze verify /etc/systemd/system/vigie.service

# --- The command line ------------------------------------------------------------------------------------------------
for command in health check show explain; do
  finding "root: vigie $command" vigie $command
  finding "nobody: vigie $command" nobody vigie $command
done
finding "root: vigie check --live" vigie check --live
finding "root: vigie once" vigie once
finding "memory" grep RssAnon "/proc/$(pid)/status"
finding "owners of the state" find /var/lib/vigie ! -user vigie

# --- Secrets ---------------------------------------------------------------------------------------------------------
finding "files with the secret" grep -rl -f secret /etc /var /run /tmp /usr/local
finding "journal with the secret" bash -c "journalctl --no-pager --output=export | grep -ac -f secret"
finding "unit with the secret" bash -c "{ systemctl show vigie; systemctl cat vigie; } | grep -c -f secret"
finding "command lines with the secret" bash -c "cat /proc/[0-9]*/cmdline | grep -ac -f secret"
finding "environment of vigie with the secret" bash -c "tr '\0' '\n' </proc/$(pid)/environ | grep -c -f secret"
finding "nobody reads the password" nobody cat /etc/vigie/mqtt_password
finding "nobody reads the credential" nobody cat /run/credentials/vigie.service/mqtt_password
finding "nobody reads the environment" nobody cat "/proc/$(pid)/environ"

# --- Killed, upgraded: the topics that an observer receives ----------------------------------------------------------
sub -t vigie/availability -F %p >availability &
looking=$!
old=$(pid)
kill -9 "$old"
finding "back after kill -9" until_so 30 is_another "$old"
finding "online after kill -9" until_so 60 says service/status ok
echo '# mine' >>/etc/vigie/vigie.yaml
sed -i 's/^  language: fr/  language: en/' /etc/vigie/vigie.yaml
finding "a change takes effect" until_so 60 bash -c 'journalctl -u vigie | grep -q "new configuration is in force"'
old=$(pid) id=$(state_id) configuration=$(sha256sum /etc/vigie/vigie.yaml)
finding "reload" systemctl reload vigie
finding "process after reload" test "$(pid)" = "$old"
retained | grep -vE ' \{|/(since|last_success|updated_at|owner)' | sort >topics-before
finding "upgrade" install_vigie
finding "process after the upgrade" is_another "$old"
finding "state after the upgrade" test "$(state_id)" = "$id"
finding "configuration after the upgrade" test "$(sha256sum /etc/vigie/vigie.yaml)" = "$configuration"
until_so 60 says service/status ok >/dev/null
retained | grep -vE ' \{|/(since|last_success|updated_at|owner)' | sort >topics-after
finding "topics after the upgrade" diff topics-before topics-after
cp /etc/vigie/vigie.yaml right.yaml
old=$(pid)
sed -i 's/^  language: en/  langage: en/' /etc/vigie/vigie.yaml
finding "upgrade with a wrong configuration" install_vigie
finding "process after that" test "$(pid)" = "$old"
until_so 60 bash -c 'journalctl -u vigie -p err | grep -q langage' >/dev/null
cp right.yaml /etc/vigie/vigie.yaml
kill $looking
finding "availability meanwhile" cat availability

# --- Frozen ----------------------------------------------------------------------------------------------------------
printf '[Service]\nWatchdogSec=6\nRestartSec=1\n' | drop_in test
systemctl restart vigie
sleep 13
finding "restarts by the watchdog of one that works" of_unit NRestarts
old=$(pid)
[ "$old" != 0 ] && kill -STOP "$old"
finding "back after SIGSTOP" until_so 20 is_another "$old"
finding "what systemd says of it" bash -c 'journalctl --no-pager -u vigie | grep -i watchdog'
finding "restarts by the watchdog" of_unit NRestarts

# --- Another vigie on these topics -----------------------------------------------------------------------------------
sed -i 's/^  grace: 10m/  grace: 11s/' /etc/vigie/vigie.yaml
systemctl restart vigie
finding "online before the other came" until_so 60 says availability online
systemd-run --quiet --unit=other --property=DynamicUser=yes --property=StateDirectory=other --property=LoadCredential=mqtt_password:/etc/vigie/mqtt_password \
  node /package/dist/main.js run --take-over --config /etc/vigie/vigie.yaml
owner() { topic owner | jq -r .installation; }
finding "asks the other again and again" until_so 60 bash -c '[ "$(systemctl show vigie -P NRestarts)" -ge 4 ]'
finding "the other after that" systemctl show other --property ActiveState,NRestarts
finding "owner after that" bash -c "! [ $(owner) = $(state_id) ]"
finding "status after the other came" until_so 60 sh -c 'systemctl show vigie --property StatusText | grep "has another owner"'
finding "errors after the other came" in_journal -u vigie -p err --since -60s
systemctl kill --signal=KILL other
systemctl stop other
finding "waits for the other" until_so 60 sh -c 'systemctl show vigie --property StatusText | grep "does not answer"'
finding "active while it waits" systemctl is-active vigie
finding "takes over" until_so 60 bash -c '[ "$(mosquitto_sub -h 127.0.0.1 -u reader -P of-all -t vigie/owner -C 1 -W 3 -F %p | jq -r .installation)" = "$(jq -r .installation /var/lib/vigie/state.json)" ]'
finding "online after the other left" until_so 60 says availability online
finding "restarts of a vigie that waits" bash -c 'journalctl -u vigie --no-pager --since -60s | grep -c "does not answer"'
rm -rf /var/lib/other /var/lib/private/other

# --- A wrong configuration at the start, and a broker that refuses ---------------------------------------------------
systemctl stop vigie
finding "root: vigie once, with no vigie running" vigie once
finding "owners of the state after it" find /var/lib/vigie ! -user vigie
sed -i 's/^  language: en/  langage: en/' /etc/vigie/vigie.yaml
systemctl start vigie --no-block
finding "tried again" until_so 60 bash -c '[ "$(systemctl show vigie -P NRestarts)" -ge 2 ]'
finding "status of a wrong configuration" bash -c 'journalctl -u vigie --no-pager | grep -om1 status=2'
finding "errors" in_journal -u vigie -p 3..3
finding "errors of a wrong configuration" in_journal -u vigie -p 3..3 --since -10s
cp right.yaml /etc/vigie/vigie.yaml
finding "active once mended" until_so 60 systemctl --quiet is-active vigie
mv /etc/vigie/mqtt_password kept
finding "restart without a password file" systemctl restart vigie
finding "warned of the password" until_so 60 bash -c 'journalctl -u vigie -p 4..4 | grep -q "not authori"'
finding "active without a password file" systemctl is-active vigie
finding "health without the broker" vigie health
mv kept /etc/vigie/mqtt_password
systemctl restart vigie
finding "online with the password" until_so 60 says availability online
finding "warnings" in_journal -u vigie -p 4..4
finding "information" in_journal -u vigie -p 6..6
finding "priorities" bash -c 'journalctl -u vigie -o json | jq -r "select(._COMM == \"node\") | .PRIORITY" | sort | uniq -c'

# --- Taken away ------------------------------------------------------------------------------------------------------
no_drop_ins
finding "uninstall --keep" sh /usr/local/lib/vigie/systemd/uninstall.sh --keep
finding "kept" ls /etc/vigie /var/lib/vigie
finding "install again, with official colours" install_vigie --official http://127.0.0.1:8787
finding "its official colours" grep -A1 '^official:' /etc/vigie/vigie.yaml
finding "official source in use" until_so 60 bash -c 'vigie show | grep -q "^official source"'
finding "install again, with a source that is none" install_vigie --official example
finding "its official colours after that" grep -A1 '^official:' /etc/vigie/vigie.yaml
finding "state of the one that came back" test "$(state_id)" = "$id"
until_so 60 says availability online >/dev/null
finding "uninstall --keep again" sh /usr/local/lib/vigie/systemd/uninstall.sh --keep
finding "uninstall what was kept" sh /package/systemd/uninstall.sh --leave-topics
files >after-kept
finding "left of what was kept" diff before after-kept
finding "a person called vigie" bash -c 'useradd -m vigie && ! sh /package/systemd/install.sh && getent passwd vigie && userdel -r vigie 2>/dev/null; rm -f /etc/sub?id-'
echo $secret | install -D -m 600 /dev/stdin /etc/vigie/mqtt_password
install_vigie --service http://127.0.0.1:8787 --broker mqtt://127.0.0.1:1883 --username vigie
until_so 60 says availability online >/dev/null
systemctl stop mosquitto
finding "uninstall with the broker away" sh /usr/local/lib/vigie/systemd/uninstall.sh
finding "configuration after it" test -s /etc/vigie/vigie.yaml
systemctl start mosquitto
setpriv --reuid=vigie --regid=vigie --clear-groups -- sleep 600 &
finding "uninstall" sh /usr/local/lib/vigie/systemd/uninstall.sh
files >after
finding "left behind" diff before after
finding "left on the broker" retained
finding "unit left" systemctl status vigie
finding "uninstall where there is none" sh /package/systemd/uninstall.sh

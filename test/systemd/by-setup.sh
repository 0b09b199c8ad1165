# A service that `vigie setup` configures: once where it is installed, and once in the folder that it is installed from.
set -u
. /suite/findings.sh
secret=Bon-jour-7731
echo $secret >/tmp/secret
reader=(-u reader -P of-all)
cd /tmp

printf 'listener 1883 127.0.0.1\nallow_anonymous false\npassword_file /etc/mosquitto/passwords\n' >/etc/mosquitto/conf.d/network.conf
install -m 600 -o mosquitto /dev/null /etc/mosquitto/passwords
mosquitto_passwd -b /etc/mosquitto/passwords vigie $secret
mosquitto_passwd -b /etc/mosquitto/passwords reader of-all
systemctl restart mosquitto
# RTE alone is asked, and vigie refuses a rouge of RTE at a weekend or in summer; bleu is possible on each day.
{ echo date,color; days_of bleu -1 0 1 2 3 4 5 6 7 8; } >/opt/days.csv
start_service >/dev/null
set_up() {
  "$@" --service none --official http://127.0.0.1:8787 --broker mqtt://127.0.0.1:1883 --username vigie --password-file /tmp/secret \
    --device use=boiler,kind=tasmota,place=boiler --language fr
}
where() { ls -l /etc/vigie | awk 'NR > 1 { print $1, $3, $NF }'; }

finding "install" sh /package/systemd/install.sh
finding "set-up by nobody" su nobody -s /bin/sh -c 'vigie setup --service none --broker mqtt://127.0.0.1:1883'
finding "set-up" set_up vigie setup
finding "its files" where
finding "password in the configuration" grep -c -e $secret -e password_file /etc/vigie/vigie.yaml
systemctl enable --now vigie
finding "online" until_so 60 says availability online
finding "output" until_so 60 topic outputs/boiler/state
finding "health" until_so 60 vigie health
finding "errors" in_journal -u vigie -p 4..3
finding "uninstall" sh /usr/local/lib/vigie/systemd/uninstall.sh

cp -R /package clone && cd clone
echo house-Jt5vYqx2 >config/phone_secret
chmod 600 config/phone_secret
finding "set-up in a folder" set_up node dist/main.js setup --message kind=ntfy,server=http://127.0.0.1:8788,secret_file=config/phone_secret
finding "its password in the folder" grep password_file config/vigie.yaml
finding "install from the folder" sh systemd/install.sh
finding "files after it" where
finding "the message after it" grep '^ *secret_file' /etc/vigie/vigie.yaml
finding "its topic for the service" setpriv --reuid=vigie --regid=vigie --clear-groups cat /etc/vigie/phone_secret
finding "password in the configuration after it" grep -c -e $secret -e password_file /etc/vigie/vigie.yaml
finding "online after it" until_so 60 says availability online
finding "errors after it" in_journal -u vigie -p 4..3

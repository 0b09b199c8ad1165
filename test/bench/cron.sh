#!/bin/sh
# What a capable person's crontab runs once an hour: asks the service, and publishes what differs from the last time.
#
#   cron.sh SERVICE HOST PORT BASE FILE       FILE remembers what was published
set -eu
service=$1 host=$2 port=$3 base=$4 last=$5

answer=$(curl -fsS --max-time 30 "$service/v1/public")
touch "$last"
printf '%s' "$answer" | jq -r '
  def on($days): .today.date | strptime("%Y-%m-%d") | mktime + $days * 86400 | strftime("%Y-%m-%d");
  def percent: if . == null then "None" else . * 100 | round end;
  . as $answer
  | [.today, .tomorrow, .forecast[]] | map({ (.date): . }) | add as $days
  | ["today", "tomorrow", "d2", "d3", "d4", "d5", "d6", "d7"] | to_entries[]
  | $days[.key as $ahead | $answer | on($ahead)] as $day
  | "\(.value)/color \($day.color // "None")", "\(.value)/confidence \($day.confidence | percent)",
    if .key == 1 then "rouge \(if [$answer.today.color, $answer.tomorrow.color] | index("rouge") then "ON" else "OFF" end)" else empty end
' > "$last.new"
{ grep -vxFf "$last" "$last.new" || true; } | while read -r topic value; do
  mosquitto_pub -h "$host" -p "$port" -q 1 -r -t "$base/$topic" -m "$value"
done
mv "$last.new" "$last"

#!/bin/sh
# Home Assistant gives /data and the options in it to root, at each start. They become vigie's own, and vigie then runs as a
# user without any right beyond them.
chown -R node:node /data || echo "/data cannot be given to the user node: vigie may be unable to read its options" >&2
# Renamed to vigie.yaml, it is followed.
cp /usr/local/lib/vigie/vigie.example.yaml /config/ || echo "The example cannot be copied to /config" >&2
# For Home Assistant's automations: their owner copies them to the folder of Home Assistant's own configuration.
cp -R /usr/local/lib/vigie/blueprints /config/ || echo "The blueprints cannot be copied to /config" >&2
exec setpriv --reuid=node --regid=node --clear-groups --inh-caps=-all --no-new-privs \
  node --max-semi-space-size=1 /usr/local/lib/vigie/dist/main.js home-assistant-app

# One file for amd64 and arm64: what is copied out of the build stage is JavaScript and text. No --platform, no RUN after
# the build stage and no newer syntax, so that the builders of a NAS take it, too.
FROM node:24-trixie-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY rolldown.config.js ./
COPY src ./src
COPY config ./config
RUN npm run build \
 && rm -r config/homeassistant-app \
 && mkdir -p out/lib out/bin out/data \
 && cp -r dist config package.json out/lib/ \
 && ln -s ../lib/vigie/dist/main.js out/bin/vigie

FROM node:24-trixie-slim
LABEL org.opencontainers.image.title="vigie" \
      org.opencontainers.image.description="Watches a forecast of three-colour electricity days and publishes it, with your rules, as retained MQTT topics" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /build/out/lib /usr/local/lib/vigie
COPY LICENSE /usr/local/lib/vigie/
# `docker exec vigie vigie show`
COPY --from=build /build/out/bin /usr/local/bin
# A volume takes its owner from here; a folder that is mounted has to be user 1000's, or the log says what to do.
COPY --from=build --chown=1000:1000 /build/out/data /data
VOLUME /data
WORKDIR /
# The health of one container lies in its own /tmp, whatever the state folder is called.
# The page listens at every address of the container; nobody reaches it until its owner publishes the port.
ENV VIGIE_STATE=/data RUNTIME_DIRECTORY=/tmp VIGIE_HTTP_LISTEN=0.0.0.0:8427
EXPOSE 8427
USER node
# vigie starts no other process and hears SIGTERM itself: it may be process 1.
ENTRYPOINT ["node", "--max-semi-space-size=1", "/usr/local/lib/vigie/dist/main.js"]
# Unhealthy: the loop is dead, the broker is not reached, or the clock is wrong. While only the service is away all is as well as can be.
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
  CMD ["node", "/usr/local/lib/vigie/dist/main.js", "health"]

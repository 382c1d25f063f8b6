# fake-istiod as an image: `npm run image`, or `docker compose build`.
#
# Two ways to make it. `prebuilt` takes dist/ as it was built on this machine and needs no network; `runtime`, the last stage and the default,
# builds it here. A builder without BuildKit runs every stage above the one that is asked for, so `prebuilt` stands first.
# No stage that is shipped runs a command, and nothing in the image needs a shell.

ARG NODE_IMAGE=node:20-slim

FROM ${NODE_IMAGE} AS base
LABEL org.opencontainers.image.title="fake-istiod" \
      org.opencontainers.image.description="A fake istiod xDS control plane for lab testing" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.vendor="fake-istiod"
# Inside a container loopback is nobody: all of these can be given as options, too.
ENV NODE_ENV=production \
    FAKE_ISTIOD_BIND=0.0.0.0 \
    FAKE_ISTIOD_CONTROL_BIND=0.0.0.0 \
    FAKE_ISTIOD_CONTROL_PORT=15080 \
    FAKE_ISTIOD_SCENARIOS=/scenarios
# `docker exec … fake-istiod ctl state` finds it.
COPY docker/image/bin/fake-istiod /usr/local/bin/fake-istiod
# Volumes that are mounted here begin as this user's.
COPY --chown=1000:1000 docker/image/config /config
COPY docker/image/scenarios /scenarios
WORKDIR /scenarios
USER 1000:1000
# 15012 TLS and plaintext, 15010 plaintext, 15080 the control API.
EXPOSE 15012 15010 15080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "/fake-istiod/dist/bin/fake-istiod.js", "healthcheck"]
ENTRYPOINT ["node", "/fake-istiod/dist/bin/fake-istiod.js"]
CMD ["serve"]

FROM base AS prebuilt
COPY package.json LICENSE NOTICE /fake-istiod/
COPY proto /fake-istiod/proto
COPY scenarios /fake-istiod/scenarios
COPY docs/openapi.json /fake-istiod/docs/openapi.json
COPY docker/programs /fake-istiod/docker
COPY dist/bin /fake-istiod/dist/bin
COPY dist/scenarios /fake-istiod/dist/scenarios

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
COPY . .
RUN ["node", "tools/build.mjs"]

FROM base AS runtime
COPY --from=build /src/package.json /src/LICENSE /src/NOTICE /fake-istiod/
COPY --from=build /src/proto /fake-istiod/proto
COPY --from=build /src/scenarios /fake-istiod/scenarios
COPY --from=build /src/docs/openapi.json /fake-istiod/docs/openapi.json
COPY --from=build /src/docker/programs /fake-istiod/docker
COPY --from=build /src/dist/bin /fake-istiod/dist/bin
COPY --from=build /src/dist/scenarios /fake-istiod/dist/scenarios

# One image for every process (`serve`, `consume`, …) and every command: docker build -t recency .
# It is built with Node 24 and npm (BASE), and runs on the C and C++ libraries alone (RUNTIME): any image that has those of BASE
# or newer ones will do, such as debian:bookworm-slim.
ARG BASE=node:24-bookworm-slim
ARG RUNTIME=gcr.io/distroless/cc-debian12

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package that is needed here has an install script. One brings a Node of its own, which the base image has.
RUN npm ci --ignore-scripts --no-audit
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/
COPY src src
# What only compilers and debuggers read of the packages is nearly half of them.
RUN node scripts/build.ts && npm prune --omit=dev --ignore-scripts --no-audit \
 && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# `recency` by its name, where there is no `env`; and a folder for the logs of `recency demo`.
RUN printf '%s\n' '#!/usr/local/bin/node' 'import "/app/bin/recency.mjs";' >/usr/local/bin/recency \
 && chmod 755 /usr/local/bin/recency && mkdir /logs

FROM ${RUNTIME}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /usr/local/bin/node /usr/local/bin/recency /usr/local/bin/
COPY --from=build --chown=1000:1000 /logs .recency
COPY --from=build /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY migrations migrations
COPY --from=build /app/dist dist
USER 1000:1000
# The API; metrics and readiness of the other processes are on loopback unless RECENCY_METRICS_PORT is set.
EXPOSE 8470
HEALTHCHECK --interval=10s --timeout=5s --retries=6 CMD ["node", "/app/dist/health/healthcheck.js"]
# No shell in between: signals reach the process, which drains and ends by itself within 10 s.
ENTRYPOINT ["recency"]
CMD ["serve"]

# One image for every process (`serve`, `consume`, `relay`) and every command: docker build -t recency .

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package that is needed here has an install script. One brings a Node of its own, which the base image has.
RUN npm ci --ignore-scripts --no-audit
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/
COPY src src
RUN node scripts/build.ts && npm prune --omit=dev --ignore-scripts --no-audit

FROM node:24-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
# `recency demo`, on given servers, keeps the logs of its processes in .recency while it runs.
RUN ln -s /app/bin/recency.mjs /usr/local/bin/recency && install -d -o node -g node .recency
COPY --from=build /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY migrations migrations
COPY --from=build /app/dist dist
USER node
# The API; metrics and readiness of `consume` and `relay` are on loopback unless RECENCY_METRICS_PORT is set.
EXPOSE 8470
# No shell in between: signals reach the process, which drains and ends by itself within 10 s.
ENTRYPOINT ["recency"]
CMD ["serve"]

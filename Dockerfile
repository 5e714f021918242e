# syntax=docker/dockerfile:1
# Runtime image of the service, without build and test dependencies.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY migrations migrations
COPY src src
RUN npm run build

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
# The service writes to /data only: the rest of the file system can be read-only.
RUN install -d -o node -g node -m 0700 /data
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY public public
COPY --from=build /app/dist dist
USER node
VOLUME /data
EXPOSE 4000
STOPSIGNAL SIGTERM
# Liveness. Readiness is /readyz: restarting the container does not fix an unavailable database.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 4000}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/daybook.js"]
CMD ["start"]

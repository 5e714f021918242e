# syntax=docker/dockerfile:1
# Runtime image of the service, without build and test dependencies.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY deploy/optional/package.json deploy/optional/
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts scripts
COPY migrations migrations
COPY src src
RUN npm run build
# Peers that are not dependencies of Daybook are only for types, and so is TypeScript, an optional peer. Source maps, declarations and documents
# of packages are not read at run time: together a third of their size.
RUN npm prune --omit=dev --omit=peer --no-audit --no-fund \
  && rm -rf node_modules/typescript node_modules/@typescript node_modules/daybook-optional \
  && find node_modules -type f -regextype posix-extended -regex '.*\.(map|[cm]?ts|md)' -delete

FROM ${NODE_IMAGE}
ENV NODE_ENV=production DATA_DIR=/data
WORKDIR /app
# The service writes to /data only: the rest of the file system can be read-only.
RUN install -d -o node -g node -m 0700 /data
COPY --from=build /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY migrations migrations
COPY public public
COPY sample sample
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

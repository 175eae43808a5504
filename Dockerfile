# One image a service: docker build --target tracking .
# Each holds its own app and that app's dependencies; fonts and image libraries are in media's alone (e2e/containers.test.ts).
ARG BUN_VERSION=1.4.5

# The manifests of all packages, which the frozen lockfile names.
FROM oven/bun:${BUN_VERSION}-slim AS manifests
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY apps/gateway/package.json apps/gateway/
COPY apps/tracking/package.json apps/tracking/
COPY apps/engagement/package.json apps/engagement/
COPY apps/media/package.json apps/media/
COPY apps/line-bot/package.json apps/line-bot/
COPY apps/web/package.json apps/web/
COPY packages/domain/package.json packages/domain/
COPY packages/service/package.json packages/service/
COPY packages/db/package.json packages/db/
COPY packages/events/package.json packages/events/
COPY packages/files/package.json packages/files/
COPY packages/recordings/package.json packages/recordings/
COPY packages/objects/package.json packages/objects/
COPY packages/testing/package.json packages/testing/
COPY tools/backup/package.json tools/backup/
COPY tools/bench/package.json tools/bench/
COPY tools/chaos/package.json tools/chaos/
COPY tools/cli/package.json tools/cli/
COPY tools/demo/package.json tools/demo/
COPY tools/embedded/package.json tools/embedded/
COPY tools/line-simulator/package.json tools/line-simulator/
COPY tools/lint/package.json tools/lint/
COPY tools/stack/package.json tools/stack/
COPY e2e/package.json e2e/

FROM manifests AS migrate-dependencies
RUN --mount=type=cache,target=/root/.bun/install/cache \
  bun install --frozen-lockfile --production --ignore-scripts --filter ./packages/db

FROM manifests AS tracking-dependencies
RUN --mount=type=cache,target=/root/.bun/install/cache \
  bun install --frozen-lockfile --production --ignore-scripts --filter ./apps/tracking

FROM manifests AS engagement-dependencies
RUN --mount=type=cache,target=/root/.bun/install/cache \
  bun install --frozen-lockfile --production --ignore-scripts --filter ./apps/engagement

FROM manifests AS media-dependencies
RUN --mount=type=cache,target=/root/.bun/install/cache \
  bun install --frozen-lockfile --production --ignore-scripts --filter ./apps/media

FROM manifests AS line-bot-dependencies
RUN --mount=type=cache,target=/root/.bun/install/cache \
  bun install --frozen-lockfile --production --ignore-scripts --filter ./apps/line-bot

FROM manifests AS web-build
RUN --mount=type=cache,target=/root/.bun/install/cache \
  bun install --frozen-lockfile --production --ignore-scripts --filter ./apps/web
COPY tsconfig.json ./
COPY packages/domain packages/domain
COPY apps/web apps/web
RUN bun run apps/web/build.ts

FROM manifests AS gateway-dependencies
RUN --mount=type=cache,target=/root/.bun/install/cache \
  bun install --frozen-lockfile --production --ignore-scripts --filter ./apps/gateway

FROM oven/bun:${BUN_VERSION}-slim AS service
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
# The runtime keeps memory longer than by default: a third of a check-in (docs/adr/0043-housekeeping-less-often.md).
ENV MIMALLOC_PURGE_HOLES_MIN_INTERVAL=1000 BUN_JSC_useWarmUpMarkedBlocks=0
WORKDIR /app
COPY tsconfig.json ./
COPY packages packages
USER bun
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/live`)).ok ? 0 : 1)"]

FROM service AS migrate
COPY --from=migrate-dependencies /app ./
HEALTHCHECK NONE
CMD ["bun", "run", "packages/db/src/main.ts"]

FROM service AS tracking
COPY --from=tracking-dependencies /app ./
COPY apps/tracking apps/tracking
# The journal outlives the container: give each copy a volume of its own.
# The allocator keeps freed memory for five seconds: returned at once it costs a check-in 5 % (docs/performance.md).
ENV JOURNAL_DIR=/journal MIMALLOC_PURGE_DELAY=5000
USER root
RUN mkdir /journal && chown bun:bun /journal
USER bun
VOLUME /journal
CMD ["bun", "run", "apps/tracking/src/main.ts"]

FROM service AS map
COPY --from=tracking-dependencies /app ./
COPY apps/tracking apps/tracking
# Without MIMALLOC_PURGE_DELAY: the memory of a burst of maps is returned after it.
CMD ["bun", "run", "apps/tracking/src/map/main.ts"]

FROM service AS engagement
COPY --from=engagement-dependencies /app ./
COPY apps/engagement apps/engagement
ENV MIMALLOC_PURGE_DELAY=5000
CMD ["bun", "run", "apps/engagement/src/main.ts"]

FROM service AS media
COPY --from=media-dependencies /app ./
COPY apps/media apps/media
CMD ["bun", "run", "apps/media/src/main.ts"]

FROM media AS make-bucket
HEALTHCHECK NONE
CMD ["bun", "run", "apps/media/src/make-bucket.ts"]

FROM service AS line-bot
COPY --from=line-bot-dependencies /app ./
COPY apps/line-bot apps/line-bot
CMD ["bun", "run", "apps/line-bot/src/main.ts"]

FROM service AS gateway
COPY --from=gateway-dependencies /app ./
COPY apps/gateway apps/gateway
COPY --from=web-build /app/apps/web/dist apps/web/dist
ENV PUBLIC_PORT=8443 BUN_CONFIG_MAX_HTTP_REQUESTS=4096 MIMALLOC_PURGE_DELAY=5000
EXPOSE 8443
CMD ["bun", "run", "apps/gateway/src/main.ts"]

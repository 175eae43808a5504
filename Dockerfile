# One image a service, all from the same sources: docker build --target tracking .
# The targets differ in what they run, not in what they hold, so that the layers are shared.
ARG BUN_VERSION=1.4.5

FROM oven/bun:${BUN_VERSION}-slim AS dependencies
WORKDIR /app
COPY package.json bun.lock bunfig.toml ./
COPY apps/gateway/package.json apps/gateway/
COPY apps/tracking/package.json apps/tracking/
COPY apps/engagement/package.json apps/engagement/
COPY apps/media/package.json apps/media/
COPY apps/line-bot/package.json apps/line-bot/
COPY packages/domain/package.json packages/domain/
COPY packages/service/package.json packages/service/
COPY packages/db/package.json packages/db/
COPY packages/events/package.json packages/events/
COPY packages/files/package.json packages/files/
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
# What the apps need and nothing of the tests or the launcher.
RUN bun install --frozen-lockfile --production --ignore-scripts --filter './apps/*'

FROM oven/bun:${BUN_VERSION}-slim AS service
# What palanquin_build_info says: docker build --build-arg BUILD_COMMIT=$(git rev-parse --short HEAD)
ARG BUILD_COMMIT=unknown
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 BUILD_COMMIT=${BUILD_COMMIT}
WORKDIR /app
COPY --from=dependencies /app ./
COPY tsconfig.json ./
COPY packages packages
COPY apps apps
USER bun
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
  CMD ["bun", "-e", "process.exit((await fetch(`http://127.0.0.1:${process.env.PORT}/live`)).ok ? 0 : 1)"]

FROM service AS migrate
HEALTHCHECK NONE
CMD ["bun", "run", "packages/db/src/main.ts"]

FROM service AS tracking
# The journal outlives the container: give each copy a volume of its own.
# The allocator keeps freed memory: giving it back and taking it anew costs a check-in 5 % (docs/performance.md).
ENV JOURNAL_DIR=/journal MIMALLOC_PURGE_DELAY=-1
USER root
RUN mkdir /journal && chown bun:bun /journal
USER bun
VOLUME /journal
CMD ["bun", "run", "apps/tracking/src/main.ts"]

FROM service AS map
# Without MIMALLOC_PURGE_DELAY: a burst of maps is given back when it is over.
CMD ["bun", "run", "apps/tracking/src/map/main.ts"]

FROM service AS engagement
ENV MIMALLOC_PURGE_DELAY=-1
CMD ["bun", "run", "apps/engagement/src/main.ts"]

FROM service AS media
CMD ["bun", "run", "apps/media/src/main.ts"]

FROM service AS make-bucket
HEALTHCHECK NONE
CMD ["bun", "run", "apps/media/src/make-bucket.ts"]

FROM service AS line-bot
CMD ["bun", "run", "apps/line-bot/src/main.ts"]

FROM service AS gateway
ENV PUBLIC_PORT=8443 BUN_CONFIG_MAX_HTTP_REQUESTS=4096 MIMALLOC_PURGE_DELAY=5000
EXPOSE 8443
CMD ["bun", "run", "apps/gateway/src/main.ts"]

/**
 * With its stores a process is ready at once; serving before that would answer 503, or accept GPS of a participant who has
 * withdrawn. Without them it serves all the same: check-ins need only the disk.
 */
const READY_WAIT_MS_MAX = 2_000
const POLL_MS = 10

type App = { fetch: (request: Request) => Response | Promise<Response> }

/** Waits until `/ready` of an app is 200, for two seconds at most. */
export async function untilReady(app: App): Promise<void> {
  const deadline = performance.now() + READY_WAIT_MS_MAX
  while (performance.now() < deadline) {
    if ((await app.fetch(new Request('http://service.internal/ready'))).ok) return
    await Bun.sleep(POLL_MS)
  }
}

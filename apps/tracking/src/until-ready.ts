/**
 * With its stores a process is ready at once; serving before that would answer 503, or accept GPS of a participant who has
 * withdrawn. Without them it serves all the same: check-ins need only the disk.
 */
const READY_WAIT_MS_MAX = 2_000
const POLL_MS = 10
const STORES = ['postgres', 'redis']

type App = { fetch: (request: Request) => Response | Promise<Response> }
type Readiness = { parts: Record<string, { ok: boolean }> }

/**
 * Waits until `/ready` of an app is 200, for two seconds at most.
 * @param loadingMsMax how long at most it waits while its stores answer and it only has to read them: another copy serves
 * meanwhile, and a port that is not open yet sends the gateway there
 */
export async function untilReady(app: App, { loadingMsMax = READY_WAIT_MS_MAX } = {}): Promise<void> {
  const startedMs = performance.now()
  for (;;) {
    const response = await app.fetch(new Request('http://service.internal/ready'))
    if (response.ok) return
    const { parts } = (await response.json()) as Readiness
    const isLoading = STORES.every((store) => parts[store]?.ok)
    if (performance.now() - startedMs > (isLoading ? loadingMsMax : READY_WAIT_MS_MAX)) return
    await Bun.sleep(POLL_MS)
  }
}

import type { Page } from 'playwright-core'

type Loaded = { url: string; type: string; bytes: number }
export type Traffic = {
  /** What has come over the network, with the headers, as it was sent: compressed. */
  loaded: Loaded[]
  bytes: () => number
  /** How many calls of the API are on their way: of what a worker loads Chromium reports no end here. */
  openCalls: () => number
  /** Forgets what has come until now. */
  restart: () => void
}

/** Counts what a page loads, by Chromium's own account; what a cache gives counts nothing. */
export async function watchTraffic(page: Page): Promise<Traffic> {
  const session = await page.context().newCDPSession(page)
  const requests = new Map<string, { url: string; type: string }>()
  const loaded: Loaded[] = []
  session.on('Network.requestWillBeSent', ({ requestId, request, type }) => {
    requests.set(requestId, { url: request.url, type: type ?? 'Other' })
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const request = requests.get(requestId)
    if (request) loaded.push({ ...request, bytes: encodedDataLength })
    requests.delete(requestId)
  })
  session.on('Network.loadingFailed', ({ requestId }) => void requests.delete(requestId))
  await session.send('Network.enable')
  return {
    loaded,
    bytes: () => loaded.reduce((sum, { bytes }) => sum + bytes, 0),
    openCalls: () => [...requests.values()].filter(({ url }) => url.includes('/api/')).length,
    restart: () => void loaded.splice(0),
  }
}

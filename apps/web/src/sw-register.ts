/** LINE's browser on iOS shows pages in a view that has no service worker, whatever it says. */
export const isLineOnIos = (userAgent: string): boolean =>
  /\bLine\//.test(userAgent) && /iPhone|iPad|iPod/.test(userAgent)

/** Once the page stands: a service worker that keeps it for the time without a network. */
export function registerServiceWorker(): void {
  if (!('serviceWorker' in navigator) || isLineOnIos(navigator.userAgent)) return
  const start = () => {
    register().catch((error: unknown) => console.warn('This page cannot be kept for offline use', error))
  }
  if (document.readyState === 'complete') start()
  else addEventListener('load', start, { once: true })
}

/** The first page has loaded before its service worker runs, so it says what it has loaded. */
async function register(): Promise<void> {
  await navigator.serviceWorker.register('/sw.js')
  const { active } = await navigator.serviceWorker.ready
  const send = (paths: string[]) => active?.postMessage(paths)
  send([location.pathname + location.search])
  new PerformanceObserver((list) => send(list.getEntries().map(({ name }) => name))).observe({
    type: 'resource',
    buffered: true,
  })
}

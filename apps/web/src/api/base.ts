/** Sent to a service worker, which has no page to read it from. */
let given: string | undefined
export const tellApiBase = (base: string): void => {
  given = base
}

/** Where the API is: `/api/<brand>`, as the gateway wrote it into the page. */
export function apiBase(): string {
  return given ?? document.querySelector<HTMLMetaElement>('meta[name="api-base"]')?.content ?? '/api/event'
}

/** Told to a service worker, which has no page to read it from. */
let told: string | undefined
export const tellApiBase = (base: string): void => {
  told = base
}

/** Where the API is: `/api/<brand>`, as the gateway wrote it into the page. */
export function apiBase(): string {
  return told ?? document.querySelector<HTMLMetaElement>('meta[name="api-base"]')?.content ?? '/api/event'
}

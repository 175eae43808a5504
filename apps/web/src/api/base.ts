/** Where the API is: `/api/<brand>`, as the gateway wrote it into the page. */
export function apiBase(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="api-base"]')?.content ?? '/api/event'
}

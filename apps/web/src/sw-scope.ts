type Extendable = Event & { waitUntil: (work: Promise<unknown>) => void }
type Fetched = Extendable & {
  request: Request
  clientId: string
  respondWith: (answer: Promise<Response>) => void
}
type SentMessage = Extendable & { data: unknown }
type SyncAsked = Extendable & { tag: string }
/** As much of a service worker's scope as is used; the library of the DOM does not have it. */
export type Scope = {
  addEventListener: {
    (type: 'activate', listener: (event: Extendable) => void): void
    (type: 'fetch', listener: (event: Fetched) => void): void
    (type: 'message', listener: (event: SentMessage) => void): void
    (type: 'sync', listener: (event: SyncAsked) => void): void
  }
  clients: { claim: () => Promise<void> }
  location: Location
}

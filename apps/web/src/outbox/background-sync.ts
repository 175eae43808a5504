import { apiBase } from '../api/base.ts'

/** As much of Background Sync as is used: Chrome's on Android has it, no browser on iOS. */
type Syncing = ServiceWorkerRegistration & { sync: { register: (tag: string) => Promise<void> } }
const canSync = (registration: ServiceWorkerRegistration): registration is Syncing => 'sync' in registration

/** The service worker knows no page: it learns from the tag where the API is. */
const PREFIX = 'outbox:'
const BASE = /^\/api\/[a-z0-9-]+$/

/** Asks the browser to wake the service worker once there is a network. */
export async function askForSync(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker?.getRegistration()
    if (registration?.active && canSync(registration)) await registration.sync.register(PREFIX + apiBase())
  } catch (error) {
    console.warn('What waits is sent when this page is open again', error)
  }
}

/** Where the API is, by the tag of a `sync` event; undefined for a tag that is none of ours. */
export function baseOfTag(tag: string): string | undefined {
  const base = tag.startsWith(PREFIX) ? tag.slice(PREFIX.length) : ''
  return BASE.test(base) ? base : undefined
}

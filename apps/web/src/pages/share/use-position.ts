import type { SharedPosition } from '@palanquin/domain/share'
import { useEffect, useState } from 'preact/hooks'
import { apiBase } from '../../api/base.ts'
import { fetchInTime } from '../../api/fetch-in-time.ts'
import type { Seen } from '../../map/shared-map.ts'

/** The person's phone sends less often than that. */
const EVERY_MS = 15_000
const READER = 'share-reader'

export type SharedState = {
  shared: SharedPosition | null
  /** Where this page has seen them, while it is open: the service gives the latest place alone. */
  seen: Seen
  trouble: 'offline' | 'busy' | null
}

/** Two hours of looking. */
const SEEN_MAX = 500

/** Reads the position while the page is in front, which is loaded anew once the link has ended. */
export function useSharedPosition(): SharedState {
  const [state, setState] = useState<SharedState>({ shared: null, seen: [], trouble: null })
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    const again = (ms: number) => {
      clearTimeout(timer)
      if (!stopped && !document.hidden) timer = setTimeout(() => void read(), ms)
    }
    const read = async () => {
      const outcome = await readOnce()
      if (outcome === 'ended') return location.reload()
      if (stopped) return
      setState((before) =>
        typeof outcome === 'string'
          ? { ...before, trouble: outcome }
          : { shared: outcome, seen: withNew(before.seen, outcome.position), trouble: null },
      )
      again(EVERY_MS)
    }
    const wake = () => again(0)
    document.addEventListener('visibilitychange', wake)
    addEventListener('online', wake)
    wake()
    return () => {
      stopped = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('online', wake)
    }
  }, [])
  return state
}

function withNew(seen: Seen, position: SharedPosition['position']): Seen {
  const last = seen.at(-1)
  if (position === null || (last?.lat === position.lat && last.lng === position.lng)) return seen
  return [...seen, position].slice(-SEEN_MAX)
}

async function readOnce(): Promise<SharedPosition | 'ended' | 'offline' | 'busy'> {
  const token = location.pathname.split('/').at(-1) ?? ''
  try {
    const response = await fetchInTime(`${apiBase()}/share/${token}?reader=${readerName()}`, {
      credentials: 'omit',
      cache: 'no-store',
    })
    if (response.status === 404 || response.status === 410) return 'ended'
    if (!response.ok) return 'busy'
    const { data }: { data: SharedPosition } = await response.json()
    return data
  } catch {
    return 'offline' // fetch says no more than that nothing came back
  }
}

/** A random name, so that a reload is the same reader. It says nothing about the person. */
function readerName(): string {
  const known = sessionStorage.getItem(READER)
  if (known !== null) return known
  const name = crypto.randomUUID()
  sessionStorage.setItem(READER, name)
  return name
}

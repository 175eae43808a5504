import { useEffect, useRef, useState } from 'preact/hooks'
import { apiBase, unavailableMs } from './base.ts'
import { fetchInTime } from './fetch-in-time.ts'
import { nowMs, STORED_AT } from './server-clock.ts'
import { reportRefused } from './session-refused.ts'

/** What is known of a resource: its last data with their time, and what is in the way of newer data. */
export type Resource<T> = {
  data: T | null
  /** When `data` arrived, in epoch milliseconds. */
  atMs: number | null
  trouble: Trouble | null
  /** Asks again at once. */
  retry: () => void
}

export type Trouble =
  | { kind: 'offline' }
  /** The session has ended: views of the person learn of it by {@link SESSION_REFUSED}. */
  | { kind: 'signed-out' }
  | { kind: 'unavailable' | 'limited'; retryAtMs: number; requestId: string | null }

const LIMITED_MS_DEFAULT = 60_000

/** Reads a public resource now and every `everyMs` while the page is shown; a null path reads nothing. */
export function useResource<T>(path: string | null, everyMs: number): Resource<T> {
  return usePolled<T>(path, (signal) => readOnce<T>(path ?? '', { signal, credentials: 'omit' }), everyMs)
}

/** As `useResource`, with the person's session. */
export function useOwnResource<T>(path: string | null, everyMs: number): Resource<T> {
  return usePolled<T>(
    path,
    (signal) => readOnce<T>(path ?? '', { signal, credentials: 'same-origin' }),
    everyMs,
  )
}

/** As `useResource`, for several paths whose data are merged; the first trouble is that of all. */
export function useResources<T>(
  paths: readonly string[],
  merge: (parts: readonly T[]) => T,
  everyMs: number,
): Resource<T> {
  const read = async (signal: AbortSignal): Promise<Read<T> | Trouble> => {
    const outcomes = await Promise.all(
      paths.map((path) => readOnce<T>(path, { signal, credentials: 'omit' })),
    )
    const parts: T[] = []
    let storedAtMs: number | null = null
    for (const outcome of outcomes) {
      if (!('data' in outcome)) return outcome
      parts.push(outcome.data)
      storedAtMs = outcome.storedAtMs ?? storedAtMs
    }
    return { data: merge(parts), storedAtMs }
  }
  return usePolled<T>(paths.length === 0 ? null : paths.join(' '), read, everyMs)
}

/** Several resources as one: the first trouble, and one button that asks again for all of them. */
export function together(
  first: Resource<unknown>,
  second: Resource<unknown>,
): Pick<Resource<unknown>, 'atMs' | 'trouble' | 'retry'> {
  return {
    atMs: first.atMs,
    trouble: first.trouble ?? second.trouble,
    retry: () => {
      first.retry()
      second.retry()
    },
  }
}

/** Reads now, every `everyMs` and whenever the key changes; a null key reads nothing. */
function usePolled<T>(
  key: string | null,
  readNow: (signal: AbortSignal) => Promise<Read<T> | Trouble>,
  everyMs: number,
): Resource<T> {
  const [state, setState] = useState<Omit<Resource<T>, 'retry'>>({ data: null, atMs: null, trouble: null })
  const retry = useRef(() => {})
  useEffect(() => {
    if (key === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    // Of reads that overlap, an answer that comes after that to a later read is older.
    let begun = 0
    let answered = 0
    const controller = new AbortController()
    const again = (ms: number) => {
      clearTimeout(timer)
      if (!stopped && !document.hidden) timer = setTimeout(() => void read(), ms)
    }
    const read = async (): Promise<void> => {
      const turn = ++begun
      const outcome = await readNow(controller.signal)
      if (stopped || turn < answered) return
      answered = turn
      if ('data' in outcome)
        setState({ data: outcome.data, atMs: outcome.storedAtMs ?? nowMs(), trouble: null })
      else setState((before) => ({ ...before, trouble: outcome }))
      again(
        'data' in outcome && outcome.storedAtMs !== null
          ? 0
          : 'data' in outcome
            ? everyMs
            : !('retryAtMs' in outcome)
              ? everyMs
              : outcome.retryAtMs - nowMs(),
      )
    }
    const wake = () => {
      if (document.hidden) clearTimeout(timer)
      else again(0)
    }
    retry.current = () => again(0)
    document.addEventListener('visibilitychange', wake)
    // At once, although the next read could still be answered from a cache of some seconds.
    const lose = () => setState((before) => ({ ...before, trouble: { kind: 'offline' } }))
    addEventListener('online', wake)
    addEventListener('offline', lose)
    again(0)
    return () => {
      stopped = true
      clearTimeout(timer)
      controller.abort()
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('online', wake)
      removeEventListener('offline', lose)
    }
  }, [key, everyMs])
  return { ...state, retry: () => retry.current() }
}

/** `storedAtMs`: when the service worker kept it; null where it comes from the network. */
type Read<T> = { data: T; storedAtMs: number | null }

/** Reads it once; what went wrong is a value. */
async function readOnce<T>(path: string, options: RequestInit): Promise<Read<T> | Trouble> {
  try {
    const response = await fetchInTime(`${apiBase()}${path}`, options)
    const requestId = response.headers.get('x-request-id')
    if (response.ok) {
      const body: { data?: T } & T = await response.json()
      const storedAt = response.headers.get(STORED_AT)
      return { data: body.data ?? body, storedAtMs: storedAt === null ? null : Number(storedAt) }
    }
    reportRefused(response.status, path)
    if (response.status === 401) return { kind: 'signed-out' }
    const seconds = Number(response.headers.get('retry-after'))
    if (response.status === 429)
      return {
        kind: 'limited',
        requestId,
        retryAtMs: nowMs() + (seconds > 0 ? seconds * 1_000 : LIMITED_MS_DEFAULT),
      }
    return { kind: 'unavailable', requestId, retryAtMs: nowMs() + unavailableMs() }
  } catch {
    return { kind: 'offline' } // fetch says no more than that nothing came back
  }
}

import { useEffect, useRef, useState } from 'preact/hooks'
import { untilReachable } from '../api/reachable.ts'
import { retryAtMs, type Sent } from '../api/send.ts'
import { nowMs } from '../api/server-clock.ts'

export type Sending<T> = {
  outcome: Sent<T> | null
  sending: boolean
  /** Sends it, now and as often as it takes; see {@link useSending}. */
  submit: () => Promise<void>
  /** Forgets the outcome, and sends no more. */
  forget: () => void
}

/** A form whose `post` repeats itself when the service is free, or the network back: nothing had arrived. */
export function useSending<T>(post: () => Promise<Sent<T>>): Sending<T> {
  const [outcome, setOutcome] = useState<Sent<T> | null>(null)
  const [sending, setSending] = useState(false)
  const latest = useRef(post)
  latest.current = post
  const submit = async () => {
    setSending(true)
    try {
      setOutcome(await latest.current())
    } catch (error) {
      console.warn('This was not sent', error)
      setOutcome({ ok: false, kind: 'busy', retryAtMs: null })
    } finally {
      setSending(false)
    }
  }
  const again = outcome === null || sending ? null : retryAtMs(outcome)
  const waitsForNetwork = outcome !== null && !outcome.ok && outcome.kind === 'offline' && outcome.waits
  useEffect(() => {
    if (again === null) return
    const timer = setTimeout(() => void submit(), again - nowMs())
    return () => clearTimeout(timer)
  }, [again])
  useEffect(() => {
    if (!waitsForNetwork) return
    const controller = new AbortController()
    const send = () => {
      void untilReachable(controller.signal).then((reachable) => (reachable ? submit() : undefined))
    }
    addEventListener('online', send)
    return () => {
      removeEventListener('online', send)
      controller.abort()
    }
  }, [waitsForNetwork])
  return { outcome, sending, submit, forget: () => setOutcome(null) }
}

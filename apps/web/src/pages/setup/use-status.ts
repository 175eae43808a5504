import { useEffect, useRef, useState } from 'preact/hooks'
import type { SetupStatus } from '../../api/devices.ts'
import { type Sent, send } from '../../api/send.ts'
import { nowMs } from '../../api/server-clock.ts'
import { setupKey } from './kept.ts'

/** Apps send at least once a minute, and somebody is waiting. */
const EVERY_MS = 5_000

/** What the service says of a link, while the page is in front. An error stays until `retry`. */
export function useSetupStatus(code: string | null): { status: Sent<SetupStatus> | null; retry: () => void } {
  const [status, setStatus] = useState<Sent<SetupStatus> | null>(null)
  const retry = useRef(() => {})
  useEffect(() => {
    if (code === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    let stopped = false
    let reading = false
    const again = (ms: number) => {
      clearTimeout(timer)
      if (!stopped && !document.hidden) timer = setTimeout(() => void read(), ms)
    }
    const read = async () => {
      if (reading) return
      reading = true
      const sent = await send<SetupStatus>('/setup-links/status', { code, key: setupKey() })
      reading = false
      if (stopped) return
      setStatus(sent)
      if (sent.ok || sent.kind === 'offline') again(EVERY_MS)
      else if (sent.kind === 'limited') again(sent.seconds * 1_000)
      else if (sent.kind === 'busy') again((sent.retryAtMs ?? nowMs() + EVERY_MS) - nowMs())
    }
    const wake = () => again(0)
    retry.current = wake
    document.addEventListener('visibilitychange', wake)
    addEventListener('online', wake)
    wake()
    return () => {
      stopped = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', wake)
      removeEventListener('online', wake)
    }
  }, [code])
  return { status, retry: () => retry.current() }
}

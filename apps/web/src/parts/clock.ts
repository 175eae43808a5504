import { useEffect, useState } from 'preact/hooks'
import { nowMs } from '../api/server-clock.ts'

const TICK_MS = 5_000

/** The time in epoch milliseconds; renders again every five seconds, so that ages stay right. */
export function useNow(): number {
  const [, tick] = useState(0)
  useEffect(() => {
    const next = () => {
      if (!document.hidden) tick((ticks) => ticks + 1)
    }
    const timer = setInterval(next, TICK_MS)
    document.addEventListener('visibilitychange', next)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', next)
    }
  }, [])
  return nowMs()
}

import { useEffect, useState } from 'preact/hooks'
import { nowMs } from '../api/server-clock.ts'

const TICK_MS = 5_000

/**
 * The present time in epoch milliseconds. Renders again every five seconds while the page is visible, so that ages stay
 * right; a render for any other reason has the time of that render, or "again in 30 s" would read 35.
 */
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

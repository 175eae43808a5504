import { useEffect, useState } from 'preact/hooks'

const TICK_MS = 5_000

/** The present time in epoch milliseconds, renewed every five seconds while the page is visible: ages stay right. */
export function useNow(): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const tick = () => {
      if (!document.hidden) setNowMs(Date.now())
    }
    const timer = setInterval(tick, TICK_MS)
    document.addEventListener('visibilitychange', tick)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', tick)
    }
  }, [])
  return nowMs
}

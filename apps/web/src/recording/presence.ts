import { keepScreenOn } from './wake-lock.ts'

/** How often the phone notes that the recording goes on: as exactly are its breaks known. */
const ALIVE_EVERY_MS = 15_000

type Listener = {
  onPosition: (position: GeolocationPosition) => void
  onDenied: () => void
  onScreen: (staysOn: boolean) => void
  /** Called every 15 seconds while the page is in front, and when it goes to the background. */
  onAlive: () => void
  /** Called when the page is in front again; the watch begins anew after it. */
  onReturn: () => Promise<void>
}

/**
 * Follows the position with the screen on, until the result is called. The watch begins anew after each break, since phones
 * let one die in the background.
 */
export function followPosition({ onPosition, onDenied, onScreen, onAlive, onReturn }: Listener): () => void {
  const controller = new AbortController()
  let id = 0
  const begin = () => {
    navigator.geolocation.clearWatch(id)
    if (controller.signal.aborted) return
    id = navigator.geolocation.watchPosition(
      onPosition,
      ({ code, PERMISSION_DENIED }) => {
        if (code === PERMISSION_DENIED) onDenied()
      },
      { enableHighAccuracy: true, maximumAge: 0 },
    )
  }
  const look = () => {
    if (document.hidden) onAlive()
    else void onReturn().then(begin)
  }
  const screen = keepScreenOn(onScreen)
  const alive = setInterval(() => {
    if (!document.hidden) onAlive()
  }, ALIVE_EVERY_MS)
  document.addEventListener('visibilitychange', look, { signal: controller.signal })
  begin()
  return () => {
    controller.abort()
    clearInterval(alive)
    navigator.geolocation.clearWatch(id)
    screen.release()
  }
}

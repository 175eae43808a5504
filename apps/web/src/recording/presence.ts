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

/** Follows the position, screen on, until the result is called; phones let a watch die in the background. */
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

/** Keeps the screen on while the page is in front; a phone takes the lock away with every look elsewhere. */
function keepScreenOn(onChange: (works: boolean) => void): { release: () => void } {
  const controller = new AbortController()
  let lock: WakeLockSentinel | null = null
  const ask = async () => {
    if (document.hidden || controller.signal.aborted) return
    if (!('wakeLock' in navigator)) return onChange(false)
    try {
      lock = await navigator.wakeLock.request('screen')
      if (controller.signal.aborted) await lock.release()
      else onChange(true)
    } catch (error) {
      console.warn('The screen cannot be kept on', error)
      onChange(false)
    }
  }
  void ask()
  document.addEventListener('visibilitychange', () => void ask(), { signal: controller.signal })
  return {
    release: () => {
      controller.abort()
      void lock?.release()
    },
  }
}

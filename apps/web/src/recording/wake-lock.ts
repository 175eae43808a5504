/** Keeps the screen on while the page is in front; a phone takes the lock away with every look at another app. */
export function keepScreenOn(onChange: (works: boolean) => void): { release: () => void } {
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

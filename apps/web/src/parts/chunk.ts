import { useEffect, useState } from 'preact/hooks'

const AGAIN_MS = 5_000

/** A part of the page that is loaded once it is wanted, and again where it does not come; null until then. */
export function useChunk<T extends object>(load: () => Promise<T>, isWanted: boolean): T | null {
  const [chunk, setChunk] = useState<T | null>(null)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const ask = () => {
      load()
        .then(setChunk)
        .catch((error: unknown) => {
          console.warn('A part of this page cannot be loaded', error)
          timer = setTimeout(ask, AGAIN_MS)
        })
    }
    if (chunk === null && isWanted) ask()
    return () => clearTimeout(timer)
  }, [isWanted])
  return chunk
}

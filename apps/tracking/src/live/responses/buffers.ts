/** A smaller buffer costs less than to keep it. */
const KEPT_BYTES_MIN = 262_144
const KEPT_MAX = 2
/** A map that was not asked for so long needs no buffer. */
const IDLE_MS = 5_000

export type Buffers = ReturnType<typeof createBuffers>

/**
 * Large buffers that are used again: each build of a map would otherwise leave one of some 20 MB to the garbage collector,
 * which sees no hurry. Those that are not needed for a while are given back to the system.
 */
export function createBuffers() {
  let kept: Uint8Array<ArrayBuffer>[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    /** A buffer of at least so many bytes, with whatever was in it. */
    take: (bytes: number): Uint8Array<ArrayBuffer> => {
      const fitting = kept.find(
        ({ length }) => length >= bytes && length <= 2 * Math.max(bytes, KEPT_BYTES_MIN),
      )
      if (!fitting) return new Uint8Array(bytes)
      kept = kept.filter((one) => one !== fitting)
      return fitting
    },
    /** The buffer is neither read nor written any more. */
    give: (buffer: Uint8Array<ArrayBuffer>): void => {
      if (buffer.length < KEPT_BYTES_MIN) return
      kept = [buffer, ...kept].toSorted((a, b) => b.length - a.length).slice(0, KEPT_MAX)
      clearTimeout(timer)
      timer = setTimeout(() => {
        kept = []
      }, IDLE_MS)
      timer.unref()
    },
  }
}

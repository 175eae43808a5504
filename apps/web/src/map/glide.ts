type Place = { lat: number; lng: number }

/**
 * Moves from one place to another at a steady pace, and never beyond.
 * @param lastsMs how long the way takes
 * @returns a function that stops it where it is
 */
export function glide(
  { from, to, lastsMs }: { from: Place; to: Place; lastsMs: number },
  put: (place: Place) => void,
): () => void {
  const startMs = performance.now()
  let frame = 0
  const step = (nowMs: number) => {
    const part = Math.min(1, Math.max(0, (nowMs - startMs) / lastsMs))
    put({ lat: from.lat + (to.lat - from.lat) * part, lng: from.lng + (to.lng - from.lng) * part })
    if (part < 1) frame = requestAnimationFrame(step)
  }
  frame = requestAnimationFrame(step)
  return () => cancelAnimationFrame(frame)
}

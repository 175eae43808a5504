/** A fix of a recording in our units: degrees, metres, km/h. Missing values are null. */
export type RecordedFix = {
  lat: number
  lng: number
  /** Epoch milliseconds. */
  recordedAt: number
  accuracy: number | null
  speed: number | null
  altitude: number | null
  heading: number | null
}

/** A fix as in its file: numbers may be text, and the time has any format. */
export type RawFix = Partial<Record<Exclude<keyof RecordedFix, 'recordedAt'>, unknown>> & { time?: unknown }

const KMH_PER_MPS = 3.6

/** The number of a value or text; null when it is none. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

/** A non-negative number; null for −1, by which an iPhone says unknown. */
export function measured(value: unknown): number | null {
  const number = numberOf(value)
  return number === null || number < 0 ? null : number
}

/** km/h of a speed in metres per second. */
export function kmhOf(metresPerSecond: unknown): number | null {
  const speed = measured(metresPerSecond)
  return speed === null ? null : speed * KMH_PER_MPS
}

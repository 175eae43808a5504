/** A fix of a recording in the house's units: degrees, metres, km/h. What the file does not say is null. */
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

/** A fix as its format spells it: numbers may still be text, and the time is whatever stands there. */
export type RawFix = Partial<Record<Exclude<keyof RecordedFix, 'recordedAt'>, unknown>> & { time?: unknown }

const KMH_PER_MPS = 3.6

/** The number that a value is or spells; null when it is none. */
export function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || value.trim() === '') return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

/** The number of something that cannot be negative; null for the −1 by which an iPhone says that it does not know. */
export function measured(value: unknown): number | null {
  const number = numberOf(value)
  return number === null || number < 0 ? null : number
}

/** km/h of a speed in metres per second. */
export function kmhOf(metresPerSecond: unknown): number | null {
  const speed = measured(metresPerSecond)
  return speed === null ? null : speed * KMH_PER_MPS
}

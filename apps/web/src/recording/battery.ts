type Battery = { level: number }

/** A point does not wait any longer for it. */
const WAIT_MS_MAX = 1_000

/** The battery in percent; null where the browser does not say it (all but Chrome). */
export async function batteryPercent(): Promise<number | null> {
  const read: unknown = Reflect.get(navigator, 'getBattery')
  if (typeof read !== 'function') return null
  try {
    const asked: Promise<Battery> = read.call(navigator)
    const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), WAIT_MS_MAX))
    const battery = await Promise.race([asked, late])
    return battery && Math.round(battery.level * 100)
  } catch {
    return null // a policy of the phone forbids it
  }
}

export type BatteryReading = { percent: number; atMs: number }

/** Below that one percent more or less says nothing. */
const MEASURED_MS_MIN = 600_000

/** What an hour costs, in whole percent; null while it is too early to say, or the phone is charged. */
export function percentPerHour(from: BatteryReading | null, to: BatteryReading | null): number | null {
  if (from === null || to === null) return null
  const ms = to.atMs - from.atMs
  if (ms < MEASURED_MS_MIN || to.percent > from.percent) return null
  return Math.round(((from.percent - to.percent) / ms) * 3_600_000)
}

type Battery = { level: number }

/** The battery in percent; null where the browser does not say it (all but Chrome). */
export async function batteryPercent(): Promise<number | null> {
  const read: unknown = Reflect.get(navigator, 'getBattery')
  if (typeof read !== 'function') return null
  try {
    const { level }: Battery = await read.call(navigator)
    return Math.round(level * 100)
  } catch {
    return null // a policy of the phone forbids it
  }
}

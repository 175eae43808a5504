import type { Sender } from '@palanquin/demo/send'

/** Each lane is a place where another participant checks in every EVERY_MS. */
const LANES = 6
const EVERY_MS = 250

/**
 * Participants who check in once: background load beside the pilgrims. Resolves when `isRunning` is false
 * and every request is answered.
 */
export async function sendSingleCheckins(
  sender: Pick<Sender, 'checkin'>,
  prefix: string,
  isRunning: () => boolean,
): Promise<void> {
  const lane = async (place: number) => {
    const all: Promise<unknown>[] = []
    for (let person = 0; isRunning(); person++) {
      const userId = `${prefix}-${place}-${person}`
      const [lat, lng] = [23.6 + place / 50, 120.3 + (person % 5_000) / 50_000]
      const point = {
        lat,
        lng,
        recordedAt: Date.now(),
        accuracy: 8,
        speed: null,
        altitude: null,
        heading: null,
      }
      all.push(sender.checkin(userId, point))
      await Bun.sleep(EVERY_MS)
    }
    await Promise.all(all)
  }
  await Promise.all(Array.from({ length: LANES }, (_, place) => lane(place)))
}

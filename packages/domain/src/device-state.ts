/** What an owner wants to know of a device: does it arrive, and if not, why. */
import type { DeviceOutcome } from './device-delivery'

/** A device's last delivery; null for one that has not sent anything. */
export type LastDelivery = { outcome: DeviceOutcome; byHand: boolean; seenAtMs: number } | null

/** Silence that a walk has no reason for: apps send at least every few minutes. */
const SILENT_MS = 30 * 60_000

const SENTENCES: Readonly<Record<DeviceOutcome, string | null>> = {
  stored: null,
  duplicate: null,
  not_a_point:
    'The app reaches us, but without positions. Please switch on its tracking, and allow it to use the location.',
  invalid: 'The app reaches us, but its positions cannot be read. Please set it up again.',
  too_old: 'The app sends positions that are older than 30 days.',
  future: 'The clock of the phone is ahead. Please set it by the network.',
  withdrawn: 'Positions are not kept, because you have withdrawn.',
  ended: 'The activity has ended: positions are no longer taken.',
  paused: 'The activity is paused: the app keeps its positions and sends them when it goes on.',
  unknown_token: 'The app uses an address that is not valid any more. Please set it up again.',
}

/** What is wrong, for a person; null where everything arrives. */
export function deviceProblem(last: LastDelivery, nowMs: number): string | null {
  if (last === null) return 'Nothing has arrived from this app yet. Please switch on its tracking.'
  const sentence = SENTENCES[last.outcome]
  if (sentence !== null) return sentence
  if (last.byHand)
    return 'Only positions sent by hand arrive. Please allow the app to use the location always, not While Using.'
  return nowMs - last.seenAtMs > SILENT_MS
    ? 'Nothing has arrived for half an hour. Please look whether the app is still running.'
    : null
}

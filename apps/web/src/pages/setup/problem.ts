import type { DeviceOutcome } from '@palanquin/domain/device-delivery'
import type { Device } from '../../api/devices.ts'
import type { SetupTexts } from '../../i18n/setup/texts.ts'

const PROBLEMS: Readonly<Record<Exclude<DeviceOutcome, 'stored' | 'duplicate'>, keyof SetupTexts>> = {
  not_a_point: 'notAPoint',
  invalid: 'invalid',
  too_old: 'tooOld',
  future: 'future',
  withdrawn: 'withdrawn',
  ended: 'ended',
  paused: 'paused',
  unknown_token: 'unknownToken',
}
/** As tracking judges silence. */
const SILENT_MS = 30 * 60_000

/** Whether a point of the device was ever taken. */
export const hasArrived = ({ lastOutcome, pointsToday }: Device): boolean =>
  pointsToday > 0 || lastOutcome === 'stored' || lastOutcome === 'duplicate'

/** What is wrong with a device, as the key of a sentence; null where its points arrive or none has come. */
export function problemOf(device: Device, nowMs: number): keyof SetupTexts | null {
  const { lastOutcome, lastSeenAt, problem } = device
  if (lastOutcome === null || lastSeenAt === null || problem === null) return null
  if (lastOutcome !== 'stored' && lastOutcome !== 'duplicate') return PROBLEMS[lastOutcome]
  return nowMs - Date.parse(lastSeenAt) > SILENT_MS ? 'silent' : 'byHandOnly'
}

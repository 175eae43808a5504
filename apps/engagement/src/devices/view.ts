import { deviceProblem } from '@palanquin/domain/device-state'
import type { PhoneApp } from '@palanquin/domain/phone-apps'
import { setupOf } from '@palanquin/domain/phone-apps/setup'
import { baseOf } from './caller.ts'
import type { DeviceRow } from './store.ts'

export type IssuedDevice = { deviceId: string; app: PhoneApp; token: string }
/** The origin that phone apps are set up with; null: as the caller reached us. */
export type PublicAddress = { publicBaseUrl: string | null }

/** Shows a device with its token, which is seen this once, and how its app is set up. */
export const issuedView =
  ({
    facts,
    offerProfile,
  }: {
    facts: () => PublicAddress
    /** The code of an address that an app fetches its settings from; undefined where there is none now. */
    offerProfile: (deviceId: string) => Promise<string | undefined>
  }) =>
  async (headers: Headers, { deviceId, app, token }: IssuedDevice) => {
    const base = baseOf(headers, facts().publicBaseUrl)
    const profileCode = app === 'gpslogger' ? await offerProfile(deviceId) : undefined
    return { deviceId, app, token, ...setupOf(app, { base, token, deviceId, profileCode }) }
  }
export type ShowIssued = ReturnType<typeof issuedView>

/** A device for its owner, with what is wrong. */
export function viewOf({ byHand, ...row }: DeviceRow, nowMs: number) {
  const { lastOutcome: outcome, lastSeenAt } = row
  const last =
    outcome !== null && lastSeenAt !== null
      ? { outcome, byHand: byHand ?? false, seenAtMs: Date.parse(lastSeenAt) }
      : null
  return { ...row, problem: deviceProblem(last, nowMs) }
}

/** Phone apps as `/devices` and `/setup-links` tell of them. */
import type { DeviceOutcome } from '@palanquin/domain/device-delivery'
import type { PhoneApp } from '@palanquin/domain/phone-apps'
import type { Setup } from '@palanquin/domain/phone-apps/setup'

export type Device = {
  deviceId: string
  app: PhoneApp
  name: string | null
  lastSeenAt: string | null
  lastPointAt: string | null
  lastOutcome: DeviceOutcome | null
  pointsToday: number
  battery: number | null
  /** In English, for developers; null where all is well. */
  problem: string | null
}
export type IssuedDevice = { deviceId: string; app: PhoneApp; token: string; url: string; setup: Setup }
export type SetupLink = { code: string; url: string; expiresAt: string }
export type SetupStatus = { state: 'open' | 'chosen' | 'revoked'; device: Device | null }

import type { ServiceName } from '../route.ts'
import { parseAddresses } from './address.ts'
import { Service } from './service.ts'
import { WholeBodies } from './whole-bodies.ts'

/** Bun's default for `fetch` calls in flight in a process; more of them wait. */
const CALLS_DEFAULT = 256
const STREAMS_MAX = 1_000
const CALLS_PER_SERVICE_MAX = 512

const SERVICES = 5

type Addresses = Record<'TRACKING_URL' | 'MAP_URL' | 'ENGAGEMENT_URL' | 'MEDIA_URL' | 'LINE_BOT_URL', string>

/**
 * Calls in flight at most, so that all services together stay below the limit of `fetch` (`BUN_CONFIG_MAX_HTTP_REQUESTS`): a
 * stalled service must not leave the others without a place.
 */
export function boundsOf(callsMax: number): { streamsMax: number; inFlightMax: number } {
  const streamsMax = Math.min(STREAMS_MAX, Math.floor(callsMax / 4))
  const inFlightMax = Math.min(CALLS_PER_SERVICE_MAX, Math.floor((callsMax - streamsMax) / SERVICES))
  return { streamsMax, inFlightMax }
}

/** `BUN_CONFIG_MAX_HTTP_REQUESTS` as Bun read it at its start. */
export function callsMaxOf(text: string | undefined): number {
  const value = Number(text)
  return Number.isInteger(value) && value > 0 ? value : CALLS_DEFAULT
}

/** The services, each with its own bounds; the configuration has checked their addresses. */
export function servicesOf(
  addresses: Addresses,
  {
    callsMax = callsMaxOf(process.env.BUN_CONFIG_MAX_HTTP_REQUESTS),
    streamAgeMs,
  }: { callsMax?: number; streamAgeMs?: number | undefined } = {},
): Record<ServiceName, Service> {
  const bounds = boundsOf(callsMax)
  const wholeBodies = new WholeBodies()
  const service = (text: string) =>
    new Service({ addresses: parseAddresses(text) ?? [], ...bounds, streamAgeMs, wholeBodies })
  return {
    tracking: service(addresses.TRACKING_URL),
    map: service(addresses.MAP_URL),
    engagement: service(addresses.ENGAGEMENT_URL),
    media: service(addresses.MEDIA_URL),
    lineBot: service(addresses.LINE_BOT_URL),
  }
}

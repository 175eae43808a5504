import { keepSecret } from '@palanquin/embedded/file'
import { LauncherError } from '../launcher-error.ts'
import type { Home } from '../run-state/home.ts'
import type { RunFile } from '../run-state/run-file.ts'
import { brandOf, type Settings } from '../settings/settings.ts'
import { LINE_STUB } from './entries.ts'
import { serviceUnit } from './service-unit.ts'
import type { Unit } from './unit.ts'

const API_BASE = 'https://api.line.me'
const DATA_API_BASE = 'https://api-data.line.me'
/** In the format of LINE's channel ids. */
const STUB_LOGIN_CHANNEL_ID = '1656000000'
/** As LINE's: the id of the login channel and eight characters. `LIFF_URL=stub` asks for the stand-in. */
const STUB_LIFF_ID = `${STUB_LOGIN_CHANNEL_ID}-standin0`

export type Line = {
  /** The simulator's process, if any. */
  units: Unit[]
  /** The settings with the simulator's addresses; available once the unit runs. */
  settings: (now: Settings) => Settings
  /** The section of run.json, given these settings. */
  facts: (known: Settings) => RunFile['line']
}

const isStubbed = ({ LINE }: Settings): boolean => LINE === 'stub'

/**
 * Whether LINE is simulated on this machine, by the stub or by the user's own: links to this machine work
 * then.
 */
export const isSimulatedHere = (settings: Settings): boolean =>
  isStubbed(settings) || isLoopback(settings.LINE_API_BASE)

const isLoopback = (address: string | undefined): boolean =>
  address !== undefined && URL.canParse(address) && LOOPBACK.test(new URL(address).hostname)
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * LINE as configured: the real one, none, or with LINE=stub a simulator process. `port` is the gateway's:
 * chat links must be absolute, so with a simulated LINE they lead to this machine unless PUBLIC_BASE_URL is
 * set.
 */
export function openLine(home: Home, settings: Settings, port: number): Line {
  const publicBase = settings.TRUST_PROXY ? {} : { PUBLIC_BASE_URL: `https://localhost:${port}` }
  if (!settings.LINE) {
    return {
      units: [],
      settings: (now) => (isSimulatedHere(now) ? { ...publicBase, ...now } : now),
      facts: configuredFacts,
    }
  }
  if (!isStubbed(settings))
    throw new LauncherError(`LINE=${settings.LINE}: expected stub, or nothing for the real LINE.`)
  if (settings.NODE_ENV === 'production')
    throw new LauncherError('LINE=stub simulates LINE; production needs the real one.')
  const channel = {
    LINE_CHANNEL_SECRET: settings.LINE_CHANNEL_SECRET ?? keepSecret(home.secret('line-channel-secret')),
    LINE_CHANNEL_ACCESS_TOKEN:
      settings.LINE_CHANNEL_ACCESS_TOKEN ?? keepSecret(home.secret('line-channel-access-token')),
    LINE_LOGIN_CHANNEL_ID: settings.LINE_LOGIN_CHANNEL_ID ?? STUB_LOGIN_CHANNEL_ID,
  }
  // The simulator's two channels have one secret.
  const login = { LINE_LOGIN_CHANNEL_SECRET: channel.LINE_CHANNEL_SECRET }
  const unit = serviceUnit(home, LINE_STUB, () => ({
    ...channel,
    RUN_FILE: home.runFile,
    EVENT_BRAND: brandOf(settings),
  }))
  const url = () => unit.running()?.addresses.url ?? ''
  const known = (now: Settings): Settings => ({
    ...publicBase,
    ...now,
    ...channel,
    ...login,
    LINE_API_BASE: url(),
    // Another name of the same machine keeps LINE's API and data hosts apart.
    LINE_DATA_API_BASE: url().replace('127.0.0.1', 'localhost'),
    LINE_LOGIN_BASE: url(),
    LINE_LOGIN_PAGE: `${url()}/oauth2/v2.1/authorize`,
    ...(now.LIFF_URL === 'stub'
      ? { LIFF_URL: `${url()}/liff/${STUB_LIFF_ID}`, LIFF_SDK_URL: `${url()}/liff-sdk.js` }
      : {}),
  })
  return {
    units: [unit],
    settings: known,
    facts: (now) => ({ ...configuredFacts(now), stubUrl: `${url()}/`, pid: unit.running()?.pid ?? null }),
  }
}

const configuredFacts = (settings: Settings): RunFile['line'] => ({
  configured: 'LINE_CHANNEL_SECRET' in settings && 'LINE_CHANNEL_ACCESS_TOKEN' in settings,
  stubUrl: null,
  pid: null,
  apiBase: settings.LINE_API_BASE ?? API_BASE,
  dataApiBase: settings.LINE_DATA_API_BASE ?? DATA_API_BASE,
  loginBase: settings.LINE_LOGIN_BASE ?? API_BASE,
  channelSecret: settings.LINE_CHANNEL_SECRET ?? null,
  channelAccessToken: settings.LINE_CHANNEL_ACCESS_TOKEN ?? null,
  loginChannelId: settings.LINE_LOGIN_CHANNEL_ID ?? null,
})

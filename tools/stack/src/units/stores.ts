import { join } from 'node:path'
import { type Store, type Stores, startStores, stopStores } from '@palanquin/embedded/stack'
import { LauncherError } from '../launcher-error.ts'
import { PROJECT_ROOT } from '../project.ts'
import { resetEpochs } from '../recovery/reset-epochs.ts'
import type { Home } from '../run-state/home.ts'
import { redisMemory } from '../settings/redis-memory.ts'
import { writeAccessList } from '../settings/redis-users.ts'
import type { Settings } from '../settings/settings.ts'
import { type External, externalStores, objectsOf, type StoreAddresses } from './external-stores.ts'
import { type StartOptions, type Unit, watchPid } from './unit.ts'

/** Fetched programs are stored beside the fetched Bun and shared by all homes. */
const TOOLCHAIN = join(PROJECT_ROOT, '.palanquin', 'toolchain')
const NAMES: Record<Store, string> = { postgres: 'PostgreSQL', redis: 'Redis' }

export type HomeStores = {
  title: string
  /** One per embedded store; external ones are not supervised. */
  units: Unit[]
  /** Known once the units run. */
  addresses: () => StoreAddresses
}

/**
 * The stores of a home: PostgreSQL and Redis are embedded unless the settings name an external server. `notice` gets what
 * an operator should read, such as a repair.
 */
export function openStores(
  home: Home,
  settings: Settings,
  notice: (sentence: string) => void = () => {},
): HomeStores {
  const named = externalStores(settings)
  const objects = objectsOf(home, settings)
  const embedded: Store[] = []
  if (!named.databaseUrl) embedded.push('postgres')
  if (!named.redisUrl) embedded.push('redis')

  const maxmemory = redisMemory(settings)
  let known: Stores | undefined
  let first: Promise<Stores> | undefined
  let stopped: Promise<unknown> | undefined

  const begin = async (
    external: External,
    options: StartOptions,
    ports: { postgres?: number; redis?: number } = {},
  ) => {
    const stores = await startStores({
      home: home.folder,
      toolchainDir: TOOLCHAIN,
      external,
      postgres: { port: ports.postgres },
      redis: { port: ports.redis, aclFile: writeAccessList(home), maxmemory },
      signal: options.signal,
      // The error of a failed store is reported once, by what is thrown.
      onProgress: (store, state, detail) =>
        detail && state === 'working' && options.detail(`${NAMES[store]}: ${detail}`),
      onNotice: notice,
    }).catch((error: unknown) => {
      // Errors with a sentence for a user become LauncherErrors; bugs keep their class.
      throw error instanceof Error && error.constructor === Error ? new LauncherError(error.message) : error
    })
    if (stores.redisWasCut) await resetEpochs(stores.redisUrl)
    known = stores
    return stores
  }

  const unit = (store: Store): Unit => ({
    name: store,
    start: async (options) => {
      // The first start is of all stores together; later ones are of one store, on its old port, because the
      // services hold the address.
      const restart = known && { external: without(known, store), ports: portsOf(known) }
      first ??= begin(named, options)
      const stores = await (restart ? begin(restart.external, options, restart.ports) : first)
      const pid = stores.pids[store]
      if (pid === undefined) throw new Error(`${NAMES[store]} was started and has no process`)
      const stop = async () => {
        stopped ??= stopStores({ home: home.folder })
        await stopped
      }
      return { pid, isAlive: watchPid(pid), stop }
    },
  })

  return {
    title: embedded.map((store) => NAMES[store]).join(', '),
    units: embedded.map(unit),
    addresses: () => {
      const { databaseUrl, redisUrl } = known ?? named
      if (!databaseUrl || !redisUrl) throw new Error('the stores do not run yet')
      return { databaseUrl, redisUrl, objects }
    },
  }
}

const without = ({ databaseUrl, redisUrl }: Stores, store: Store): External =>
  store === 'postgres' ? { redisUrl } : { databaseUrl }

/** An external address may be a cluster's, and its port is not needed. */
const portsOf = ({ databaseUrl, redisUrl }: Stores) => ({
  postgres: Number(new URL(databaseUrl).port),
  redis: Number(URL.parse(redisUrl)?.port),
})

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { RedisClient, SQL } from 'bun'
import { runScript, TOOLCHAIN, throwawayFolder } from '../test/throwaway.ts'
import { identify } from './process.ts'
import { type Store, type Stores, startStores, stopStores } from './stack.ts'

const STORES = ['postgres', 'redis'] as const
let folder: ReturnType<typeof throwawayFolder>

const homeOf = (name: string) => join(folder.path, name)
const optionsOf = (name: string) => ({
  home: homeOf(name),
  toolchainDir: TOOLCHAIN,
  postgres: { nofsync: true },
})

/** Writes a word to both stores, or reads it back. */
async function useAll(stores: Stores, word?: string): Promise<unknown[]> {
  const sql = new SQL(stores.databaseUrl, { max: 1 })
  const redis = new RedisClient(stores.redisUrl)
  try {
    if (word !== undefined) {
      await sql`CREATE TABLE IF NOT EXISTS words (word text)`
      await sql`INSERT INTO words VALUES (${word})`
      await redis.set('word', word)
    }
    const [row] = await sql`SELECT word FROM words`
    return [row?.word, await redis.get('word')]
  } finally {
    await sql.close()
    redis.close()
  }
}

beforeAll(() => {
  folder = throwawayFolder()
})
afterAll(async () => {
  const homes = readdirSync(folder.path).map((name) => stopStores({ home: homeOf(name) }))
  await Promise.all(homes)
  await folder.remove()
})

describe('the stores of a home', () => {
  test('start together, keep what they were given, and restart warm', async () => {
    const steps: string[] = []
    const first = await startStores({
      ...optionsOf('one'),
      onProgress: (store, state) => steps.push(`${store} ${state}`),
    })
    for (const store of STORES)
      expect(steps.filter((line) => line.startsWith(`${store} `)).at(-1)).toBe(`${store} ready`)
    expect(await useAll(first, 'kept')).toEqual(['kept', 'kept'])
    await first.stop()
    for (const store of STORES) expect(identify(first.pids[store] ?? 0)).toBeUndefined()
    const again = await startStores(optionsOf('one'))
    expect(again).toMatchObject({ databaseUrl: first.databaseUrl, redisUrl: first.redisUrl })
    expect(await useAll(again)).toEqual(['kept', 'kept'])
  })

  test('keep their secrets private', () => {
    const secrets = readdirSync(join(homeOf('one'), 'secrets'))
    expect(secrets.sort()).toEqual(['postgres', 'redis'])
    for (const name of secrets)
      expect(statSync(join(homeOf('one'), 'secrets', name)).mode & 0o777).toBe(0o600)
    for (const name of ['pg', 'redis']) expect(statSync(join(homeOf('one'), name)).mode & 0o777).toBe(0o700)
    const logs = readdirSync(join(homeOf('one'), 'logs'))
    expect(logs.sort()).toEqual(['postgres.log', 'redis.log'])
    for (const name of logs) expect(statSync(join(homeOf('one'), 'logs', name)).mode & 0o777).toBe(0o600)
  })

  test('of two homes run side by side independently', async () => {
    const one = await startStores(optionsOf('one'))
    const two = await startStores(optionsOf('two'))
    expect(await useAll(two, 'another')).toEqual(['another', 'another'])
    expect(await useAll(one)).toEqual(['kept', 'kept'])
    await two.stop()
    expect(await useAll(one)).toEqual(['kept', 'kept'])
  })

  test('outlive a kill -9 of their launcher and are adopted by the next', async () => {
    const options = optionsOf('orphaned')
    const launcher = runScript(`
      import { startStores } from '../src/stack.ts'
      const { pids } = await startStores(${JSON.stringify(options)})
      console.log(JSON.stringify(pids))
      setInterval(() => {}, 1000)`)
    const pids: unknown = JSON.parse(await launcher.line())
    await launcher.kill()
    const stores = await startStores(options)
    expect<unknown>(stores.pids).toEqual(pids)
    expect(await useAll(stores, 'survived')).toEqual(['survived', 'survived'])
    await stores.stop()
  })

  test('can be ended by another process than the one that started them', async () => {
    const stores = await startStores(optionsOf('two'))
    expect(await stopStores({ home: homeOf('two') })).toEqual([...STORES])
    for (const store of STORES) expect(identify(stores.pids[store] ?? 0)).toBeUndefined()
    expect(await stopStores({ home: homeOf('two') })).toEqual([])
  })
})

describe('an external store', () => {
  test('is used as it is and not embedded', async () => {
    const one = await startStores(optionsOf('one'))
    const external = { databaseUrl: one.databaseUrl }
    const mixed = await startStores({ ...optionsOf('mixed'), external })
    expect(mixed).toMatchObject(external)
    expect(Object.keys(mixed.pids)).toEqual(['redis'])
    expect(readdirSync(homeOf('mixed')).sort()).toEqual(['logs', 'redis', 'run', 'secrets'])
    await mixed.stop()
    expect(identify(one.pids.postgres ?? 0)).toBeDefined()
  })
})

describe('when one of them cannot be started', () => {
  test('the other is ended too, and one sentence says why', async () => {
    const failed: [Store, string | undefined][] = []
    const work = startStores({
      ...optionsOf('failing'),
      redis: { extraArgs: ['--nonsense', '1'] },
      onProgress: (store, state, detail) => state === 'failed' && failed.push([store, detail]),
    })
    await expect(work).rejects.toThrow(/^Redis does not start\. .*redis\.log/)
    expect(failed).toEqual([['redis', expect.stringContaining('Redis does not start')]])
    expect(await stopStores({ home: homeOf('failing') })).toEqual([])
  })

  test('nothing is left running either when the start is aborted halfway', async () => {
    const controller = new AbortController()
    const abort = () => controller.abort(new Error('interrupted'))
    const work = startStores({
      ...optionsOf('aborted'),
      onProgress: (_, state) => state === 'ready' && abort(),
      signal: controller.signal,
    })
    await expect(work).rejects.toThrow('interrupted')
    expect(await stopStores({ home: homeOf('aborted') })).toEqual([])
  })
})

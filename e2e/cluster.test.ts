import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { isRedisCluster, onOneServer } from '@palanquin/testing/redis'
import { type TestCluster, testRedisCluster } from '@palanquin/testing/redis-cluster'
import { until } from '@palanquin/testing/until'
import { createClient, createCluster } from 'redis'
import { listenIn, type ObservedCommand } from './monitor.ts'

/** Commands for one server that a cluster never gets (packages/service/src/redis-streams.ts). */
const OF_MANY_SLOTS = ['XREAD']
/** A scan has no key: the client sends it to each node of a cluster. */
const OF_EVERY_NODE = ['SCAN']
const FIRST_WORDS = 8

let stack: ThrowawayStack
let cluster: TestCluster
beforeAll(async () => {
  ;[stack, cluster] = await Promise.all([startThrowawayStack(), testRedisCluster()])
})
afterAll(() => Promise.all([stack.close(), cluster.close()]))

/** Makes the services use every Redis command. */
async function live({ api }: ThrowawayStack): Promise<void> {
  const [one, other] = ['U-one', 'U-other']
  for (const userId of [one, other]) {
    await api.post('/user/sync', { userId, displayName: '香客' })
    await api.post('/privacy', { userId, consent: true })
    await api.post('/checkin', { userId, lat: 24.5, lng: 120.7 })
    const points = Array.from({ length: 3 }, (_, at) => ({
      lat: 24.5 + at / 100,
      lng: 120.7,
      recordedAt: Date.now() - (10 - at) * 60_000,
    }))
    await api.post('/track/sync', { userId, points })
    await api.get(`/user/${userId}`)
    await api.get(`/photos/count?userId=${userId}`)
  }
  await api.flush()
  await api.get(`/user/${one}`)
  await api.get('/data')
  await api.put('/admin/status', { status: 'paused' }, api.as('owner'))
  await api.put('/admin/status', { status: 'active' }, api.as('owner'))
  await api.post('/push', { to: { userIds: [one] }, text: 'hello' }, api.as('owner'))
  await api.delete(`/user/${other}`, api.as('owner'))
  await api.health()
}

const title = 'every command of every service stays in one slot of a real cluster, but those that are named'
const why = 'it monitors a single server'
test.skipIf(isRedisCluster)(onOneServer(title, why), async () => {
  const observed = await listenIn(stack.running().redisUrl, async () => {
    await live(stack)
    const seen = async () => (await stack.api.get('/user/U-other')).status === 404
    await until(seen, { what: 'the end of an erasure' })
  })
  const one = await createClient({ url: stack.running().redisUrl }).connect()
  const many = createCluster({ rootNodes: cluster.urls.map((url) => ({ url })) })
  await many.connect()
  const crossing = new Set<string>()
  const keyless = new Set<string>()
  const scripts = new Set<string>()
  let tried = 0
  try {
    for (const { command, inside } of distinct(observed)) {
      const [name = ''] = command
      const keys = await keysOf(command)
      const [first] = keys
      if (first === undefined) {
        keyless.add(name)
        continue
      }
      tried++
      if (name.startsWith('EVAL')) scripts.add(command[1] ?? '')
      // A script is bound to the slots of its keys, too.
      const all = inside ? [...(await keysOf(inside)), ...keys] : keys
      // An empty script has its keys' slots checked by the cluster like any other (EXISTS would be split by
      // the client).
      const answer: unknown = await many
        .sendCommand(first, false, ['EVAL', 'return 0', `${all.length}`, ...all])
        .catch((error: Error) => error.message)
      if (String(answer).startsWith('CROSSSLOT')) crossing.add(name)
      else expect(answer).toBe(0)
    }
    expect(tried).toBeGreaterThan(30)
    expect(scripts.size).toBeGreaterThan(8)
    expect([...crossing]).toEqual(OF_MANY_SLOTS)
    const everywhere = [...keyless].filter((name) => ['SCAN', 'KEYS', 'FLUSHALL'].includes(name))
    expect(everywhere).toEqual(OF_EVERY_NODE)
  } finally {
    one.destroy()
    many.destroy()
  }

  async function keysOf(command: readonly string[]): Promise<string[]> {
    const reply: unknown = await one.sendCommand(['COMMAND', 'GETKEYS', ...command]).catch(() => [])
    return Array.isArray(reply) ? reply.map(String) : []
  }
})

/** Each kind of command once, with other keys: name and options, then the keys. */
function distinct(observed: readonly ObservedCommand[]): ObservedCommand[] {
  const kinds = new Map<string, ObservedCommand>()
  for (const one of observed)
    kinds.set([...one.command.slice(0, FIRST_WORDS), ...(one.inside ?? []).slice(0, 2)].join(' '), one)
  return [...kinds.values()]
}

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processOf } from '@palanquin/chaos/faults/processes'
import { rollingRestart } from '@palanquin/stack/lifecycle/rolling-restart'
import { MAIN_FILE } from '@palanquin/stack/project'
import { unexplained } from '@palanquin/stack/testing/restart-failures'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { SUCCESSOR_READY_MS_MAX } from '@palanquin/stack/units/readiness'
import { GATEWAY } from '@palanquin/stack/units/services'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

const PAUSE_MS = 20
/** Enough to meet both gateways, however slow the machine is. */
const ANSWERED_MIN = 101
/** A connection that opens in the very instant when the old process stops listening is reset. */
const RESET_MAX = 3

const OLD = 'an-old-token-of-the-organisers-0123456789abcdef'
const NEW = 'a-new-token-of-the-organisers-0123456789abcdef'
const folder = mkdtempSync(join(tmpdir(), 'palanquin-handover-'))
const settingsFile = join(folder, 'settings.env')
const writeSettings = (tokens: string, rateLimits = 'on') =>
  writeFileSync(settingsFile, `EVENT_ADMIN_TOKEN=${tokens}\nRATE_LIMITS=${rateLimits}\n`)

let stack: ThrowawayStack
beforeAll(async () => {
  writeSettings(OLD)
  stack = await startThrowawayStack({}, { settingsFile })
})
afterAll(async () => {
  await stack.close()
  rmSync(folder, { recursive: true, force: true })
})

const statusWith = async (token: string): Promise<number> =>
  (await stack.api.get('/admin/status', { headers: { 'x-admin-token': token } })).status
const gatewayPid = () => stack.running().services[GATEWAY]?.pid

/** Clients that send requests while `work` runs; returns their failures. */
async function callingDuring(work: () => Promise<void>) {
  const found = { answered: 0, refused: [] as string[], reset: 0 }
  let going = true
  const isTooFew = () => found.answered < ANSWERED_MIN && found.refused.length < ANSWERED_MIN
  const lane = async (name: string) => {
    for (let index = 0; going || isTooFew(); index++) {
      const checkin = { userId: `${name}-${index}`, lat: 23.5, lng: 120.4 }
      try {
        const reply = await (index % 2 === 0 ? stack.api.post('/checkin', checkin) : stack.api.get('/data'))
        if (reply.status >= 400) found.refused.push(`${reply.status} ${JSON.stringify(reply.body)}`)
        else found.answered++
      } catch {
        found.reset++
      }
      await Bun.sleep(PAUSE_MS)
    }
  }
  const lanes = ['a', 'b', 'c', 'd'].map(lane)
  await work().finally(() => {
    going = false
  })
  await Promise.all(lanes)
  return found
}

test(
  'a token is rotated under load, by two settings and two restarts of the gateway, and no request is refused',
  async () => {
    expect([await statusWith(OLD), await statusWith(NEW)]).toEqual([200, 401])
    const before = gatewayPid()
    const found = await callingDuring(async () => {
      writeSettings(`${NEW},${OLD}`)
      await rollingRestart(stack.home, { names: [GATEWAY], log: () => {} })
      expect([await statusWith(OLD), await statusWith(NEW)]).toEqual([200, 200])
      expect(stack.running().tokens.owner).toBe(NEW)
      writeSettings(NEW)
      await rollingRestart(stack.home, { names: [GATEWAY], log: () => {} })
    })
    expect([await statusWith(OLD), await statusWith(NEW)]).toEqual([401, 200])
    expect(gatewayPid()).not.toBe(before)
    // A successor that takes longer to be ready takes over anyway.
    const handover = { home: stack.home, waitedMsMax: SUCCESSOR_READY_MS_MAX }
    expect(unexplained(found.refused, handover)).toEqual([])
    expect(found.reset).toBeLessThanOrEqual(2 * RESET_MAX)
    expect(found.answered).toBeGreaterThan(100)
  },
  TEST_TIMEOUT_MS,
)

test(
  'a setting that a new gateway refuses is reported, and the old one keeps serving',
  async () => {
    const before = gatewayPid()
    writeSettings(NEW, 'sometimes')
    const found = await callingDuring(async () => {
      const restarted = rollingRestart(stack.home, { names: [GATEWAY], log: () => {} })
      expect(await restarted.then(() => 'restarted', String)).toContain('RATE_LIMITS')
    })
    expect(found).toMatchObject({ refused: [], reset: 0 })
    expect(gatewayPid()).toBe(before)
    expect(processOf(stack.home, 'gateway')?.pid).toBe(before)
    writeSettings(NEW)
  },
  TEST_TIMEOUT_MS,
)

test(
  '`./palanquin restart` restarts every process once, the gateway included, and all are ready then',
  async () => {
    const pids = () => Object.values(stack.running().services).map(({ pid }) => pid)
    const before = pids()
    const child = Bun.spawn(
      [process.execPath, '--no-env-file', MAIN_FILE, 'restart', '--home', stack.home.folder],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    const [said, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect({ status: await child.exited, errors }).toEqual({ status: 0, errors: '' })
    for (const name of Object.keys(stack.running().services)) expect(said).toContain(`${name} is back`)
    expect(pids().filter((pid) => before.includes(pid))).toEqual([])
    // A kept connection of this client to the old gateway may be closed in the very instant when it is used again.
    const isServed = () =>
      statusWith(NEW).then(
        (status) => status === 200,
        () => false,
      )
    await until(isServed, { what: 'the new gateway to take the new token' })
  },
  TEST_TIMEOUT_MS,
)

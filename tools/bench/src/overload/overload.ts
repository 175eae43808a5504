import { percentile } from '@palanquin/demo/request-counts'
import { table } from '@palanquin/stack/table'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import type { Answered } from './lane.ts'
import { CARD_OWNERS, KINDS, LoadGenerator, type Rush } from './rush.ts'

/** Factor over the sustained load. */
const TIMES = 3
const LANES = 1_500
const SUSTAINED_LANES = 64
const SUSTAINED_MS = 6_000
const RUSH_MS = 20_000
/** This many normal responses in a row mean recovery. */
const CALM_PROBES = 10
const CALM_MS_MAX = 500
const PROBE_PAUSE_MS = 100
const STORED_MS_MAX = 120_000
/** Limits by address are off: the load comes from one address. */
const SETTINGS = {
  PUBLIC_READ_LIMIT: '1000000',
  PUBLIC_WRITE_LIMIT: '1000000',
  NEW_PARTICIPANT_LIMIT: '1000000',
  LOG_LEVEL: 'warn',
}

/**
 * `bench overload`: three times the sustained load, from clients that do not wait, and the outcome. Resolves
 * with whether every check-in that was answered 202 is stored, and every rejection had a Retry-After.
 */
export async function overload(log: (line: string) => void): Promise<boolean> {
  const stack = await startThrowawayStack(SETTINGS)
  const load = new LoadGenerator(stack.running(), { prefix: 'rush' })
  try {
    await prepare(stack)
    await load.connect(LANES)
    const calm = await load.sustain({ lanes: SUSTAINED_LANES, forMs: SUSTAINED_MS })
    const perSecond = (accepted(calm).length / SUSTAINED_MS) * 1_000
    log(`sustained: ${Math.round(perSecond)} check-ins/s, p99 ${ms(calm, 0.99)} ms`)
    const rush = await load.rush({ perSecond: perSecond * TIMES, forMs: RUSH_MS })
    const calmAgainMs = await untilCalm(load)
    log(tableOf(rush))
    log(`statuses: ${statusesOf(KINDS.flatMap((kind) => rush[kind]))} (0: the connection broke)`)
    const acknowledged = accepted(calm).length + accepted(rush['check-in']).length + calmAgainMs.acknowledged
    const stored = await storedOf(stack, acknowledged)
    const withoutRetryAfter = KINDS.flatMap((kind) => rush[kind]).filter(
      ({ status, retryAfter }) => isRejected(status) && !retryAfter,
    )
    log(`requested ${Math.round(perSecond * TIMES)}/s; ${rush.unsent} found no free connection (${LANES})`)
    log(
      `rejections without Retry-After: ${withoutRetryAfter.length}; back to normal after ${calmAgainMs.tookS.toFixed(1)} s`,
    )
    log(`${acknowledged} check-ins were answered 202, ${stored} are stored`)
    return stored >= acknowledged && withoutRetryAfter.length === 0
  } finally {
    load.disconnect()
    await stack.close()
  }
}

const isRejected = (status: number): boolean => status === 429 || status === 503
const accepted = (answers: readonly Answered[]) => answers.filter(({ status }) => status === 202)
const ms = (answers: readonly Answered[], share: number): string =>
  answers.length === 0
    ? '–'
    : percentile(
        answers.map(({ tookMs }) => tookMs),
        share,
      ).toFixed(0)

/** Participants with a share card. */
async function prepare({ api }: ThrowawayStack): Promise<void> {
  for (let i = 0; i < CARD_OWNERS; i++) {
    await api.post('/user/sync', { userId: `owner-${i}`, displayName: `香客 ${i}` })
    await api.get(`/og/owner-${i}.png`)
  }
}

function statusesOf(answers: readonly Answered[]): string {
  const counts = new Map<number, number>()
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${status} × ${count}`).join(', ')
}

function tableOf(rush: Rush): string {
  const rows = KINDS.map((kind) => {
    const answers = rush[kind]
    const served = answers.filter(({ status }) => status >= 200 && status < 300)
    const refused = answers.filter(({ status }) => isRejected(status))
    return [
      kind,
      `${answers.length}`,
      `${served.length}`,
      `${((served.length / Math.max(1, answers.length)) * 100).toFixed(0)} %`,
      `${ms(served, 0.5)} / ${ms(served, 0.99)} / ${ms(served, 1)}`,
      `${refused.length}`,
      `${ms(refused, 0.5)} / ${ms(refused, 0.99)} / ${ms(refused, 1)}`,
      `${answers.length - served.length - refused.length}`,
    ]
  })
  return table(
    ['', 'sent', 'served', 'share', 'p50 / p99 / max ms', '429, 503', 'p50 / p99 / max ms', 'else'],
    rows,
    ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'right'],
  )
}

/** From the end of the load until check-ins and cards are normal again. */
async function untilCalm(load: LoadGenerator): Promise<{ tookS: number; acknowledged: number }> {
  const startedMs = performance.now()
  let acknowledged = 0
  for (let well = 0; well < CALM_PROBES && performance.now() - startedMs < STORED_MS_MAX; ) {
    const [checkin, card] = await Promise.all([load.one('check-in'), load.one('card')])
    if (checkin.status === 202) acknowledged++
    const isWell = checkin.status === 202 && card.status === 200
    well = isWell && Math.max(checkin.tookMs, card.tookMs) < CALM_MS_MAX ? well + 1 : 0
    await Bun.sleep(PROBE_PAUSE_MS)
  }
  return { tookS: (performance.now() - startedMs) / 1_000, acknowledged }
}

/** The number of check-ins in PostgreSQL, once it is as expected or stops growing. */
async function storedOf({ sql }: ThrowawayStack, expected: number): Promise<number> {
  const deadline = performance.now() + STORED_MS_MAX
  for (;;) {
    const [row] = await sql`SELECT count(*)::int AS stored FROM tracking.all_points WHERE kind = 0`
    const stored = Number(row?.stored)
    if (stored >= expected || performance.now() > deadline) return stored
    await Bun.sleep(500)
  }
}

import { percentile } from '@palanquin/demo/request-counts'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Measured, median } from '../benchmark.ts'

/** More than there are threads on any machine, so that cards always queue. */
const DRAWN_AT_ONCE = 12
/** Participants whose cards are drawn again all the time. */
const DRAWN = Array.from({ length: DRAWN_AT_ONCE }, (_, index) => `drawn-${index}`)
const SHARED = 'shared'
const ROUND_MS = 4_000
const BEGIN_MS = 500
const WHAT = ['card', 'health'] as const
type Answers = Record<(typeof WHAT)[number], number>
/** Too few to be a load themselves. */
const ASK_EVERY_MS = 20
/** The allowed slowdown against an idle machine; 50 ms at most on one that does nothing else. */
const WANTED = 10

type Figure = Measured & { name: string; better: 'less'; wanted: number }

/**
 * Latency of `/health` and of a cached card through the gateway while all drawing threads are busy and more
 * cards queue, against the same at rest: the 99th percentile of each round.
 */
export async function whileDrawing(log: (line: string) => void, rounds: number): Promise<Figure[]> {
  const stack = await startThrowawayStack({ RATE_LIMITS: 'off', LOG_LEVEL: 'warn' })
  try {
    for (const userId of [...DRAWN, SHARED]) await makeCard(stack, userId)
    const found: { rest: Answers; drawing: Answers; perSecond: number }[] = []
    for (let round = 0; round <= rounds; round++) {
      const rest = await askFor(stack, ROUND_MS)
      const { drawing, perSecond } = await withCardsDrawn(stack, () => askFor(stack, ROUND_MS))
      if (round === 0) continue // the first round warms up
      found.push({ rest, drawing, perSecond })
      log(
        `round ${round} of ${rounds}: a cached card in ${drawing.card.toFixed(1)} ms while others are drawn`,
      )
    }
    const perSecond = median(found.map((round) => round.perSecond))
    return WHAT.map((what) => ({
      name: what === 'card' ? 'cards, cached, p99' : 'cards, health, p99',
      better: 'less',
      wanted: WANTED,
      unit: 'ms',
      ours: found.map(({ drawing }) => drawing[what]),
      yardstick: found.map(({ rest }) => rest[what]),
      notes: [
        `while ${perSecond.toFixed(0)} cards a second are drawn and others wait, against the same at rest`,
      ],
    }))
  } finally {
    await stack.close()
  }
}

/** Runs `work` while cards are drawn all the time, once every thread has started. */
async function withCardsDrawn(
  stack: ThrowawayStack,
  work: () => Promise<Answers>,
): Promise<{ drawing: Answers; perSecond: number }> {
  let isRunning = true
  const startedMs = performance.now()
  const lanes = Promise.all(DRAWN.map((userId) => drawAgain(stack, userId, () => isRunning)))
  await Bun.sleep(BEGIN_MS)
  const drawing = await work().finally(() => {
    isRunning = false
  })
  const drawn = (await lanes).reduce((sum, one) => sum + one, 0)
  return { drawing, perSecond: (drawn / (performance.now() - startedMs)) * 1_000 }
}

const makeCard = async ({ api }: ThrowawayStack, userId: string): Promise<void> => {
  await api.post('/user/sync', { userId, displayName: '林媽媽' })
  let { status } = await api.get(`/og/${userId}.png`)
  while (status === 503) status = (await api.get(`/og/${userId}.png`)).status // the first thread starts
  if (status !== 200) throw new Error(`a card was answered ${status}`)
}

/** Requests new drawings of a card in a loop; resolves with their number. Refused ones are repeated. */
async function drawAgain({ api }: ThrowawayStack, userId: string, going: () => boolean): Promise<number> {
  let drawn = 0
  while (going()) {
    const { status } = await api.post('/og-image', { userId }, api.as('manager'))
    if (status === 200) drawn++
    else if (status !== 503) throw new Error(`a new drawing of a card was answered ${status}`)
  }
  return drawn
}

/** The 99th percentile of each, requested alternately at a steady pace. */
async function askFor({ api, running }: ThrowawayStack, forMs: number): Promise<Answers> {
  const tookMs = { card: [] as number[], health: [] as number[] }
  const { url, caFile } = running()
  const tls = { ca: await Bun.file(caFile).text() }
  const ask = async (what: (typeof WHAT)[number]) => {
    const startedMs = performance.now()
    const answer = await fetch(what === 'health' ? `${url}/health` : `${api.base}/og/${SHARED}.png`, { tls })
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`${what} was answered ${answer.status}`)
    tookMs[what].push(performance.now() - startedMs)
  }
  const asked: Promise<void>[] = []
  const endMs = performance.now() + forMs
  for (let turn = 0; performance.now() < endMs; turn++) {
    asked.push(ask(turn % 2 === 0 ? 'health' : 'card'))
    await Bun.sleep(ASK_EVERY_MS)
  }
  await Promise.all(asked)
  return { card: percentile(tookMs.card, 0.99), health: percentile(tookMs.health, 0.99) }
}

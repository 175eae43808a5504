import { percentile } from '@palanquin/demo/request-counts'
import { startThrowawayStack, type ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { type Measured, median } from '../benchmark.ts'

/** More than there are threads on any machine, so that cards always wait for one. */
const DRAWN_AT_ONCE = 12
/** Whose cards are drawn anew all the time, and whose are asked for meanwhile. */
const DRAWN = Array.from({ length: DRAWN_AT_ONCE }, (_, index) => `drawn-${index}`)
const SHARED = 'shared'
const ROUND_MS = 4_000
const BEGIN_MS = 500
const WHAT = ['card', 'health'] as const
/** Milliseconds. */
type Answers = Record<(typeof WHAT)[number], number>
/** Few enough to be no load themselves. */
const ASK_EVERY_MS = 20
/** Answers may take so much longer than at rest; 50 ms at most are asked for, of a machine that does nothing else. */
const WANTED = 10

type Figure = Measured & { name: string; better: 'less'; wanted: number }

/**
 * How `/health` and a card that is there answer through the gateway while all threads that draw cards are busy and
 * more cards wait, against the same at rest: the 99th of 100 answers of each round.
 */
export async function whileDrawing(log: (line: string) => void, rounds: number): Promise<Figure[]> {
  const stack = await startThrowawayStack({ RATE_LIMITS: 'off', LOG_LEVEL: 'warn' })
  try {
    for (const userId of [...DRAWN, SHARED]) await makeCard(stack, userId)
    const found: { rest: Answers; drawing: Answers; perSecond: number }[] = []
    for (let round = 0; round <= rounds; round++) {
      const rest = await askFor(stack, ROUND_MS)
      const { drawing, perSecond } = await withCardsDrawn(stack, () => askFor(stack, ROUND_MS))
      if (round === 0) continue // everything is compiled and prepared now
      found.push({ rest, drawing, perSecond })
      log(
        `round ${round} of ${rounds}: a card that is there in ${drawing.card.toFixed(1)} ms while others are drawn`,
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

/** Runs `work` while cards are drawn anew all the time, from when every thread has begun. */
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

/** Has a card drawn anew again and again; resolves with how often. One that is refused is asked for again. */
async function drawAgain({ api }: ThrowawayStack, userId: string, going: () => boolean): Promise<number> {
  let drawn = 0
  while (going()) {
    const { status } = await api.post('/og-image', { userId }, api.as('manager'))
    if (status === 200) drawn++
    else if (status !== 503) throw new Error(`a card drawn anew was answered ${status}`)
  }
  return drawn
}

/** The 99th of 100 answers to each, asked for by turns at a steady pace. */
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

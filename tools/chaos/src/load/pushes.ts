import type { Api } from '@palanquin/stack/api'
import { type Outcome, outcomeOf } from '@palanquin/testing/faults/ledger'

/** An organiser's token may call 30 times a minute. */
const EVERY_MS = 3_000

/** A message of an organiser: recipients and outcome. */
export type Sent = { text: string; to: readonly string[]; outcome: Outcome }

/** An organiser who sends messages alternately to one user and to all, and records them in `sent`. */
export async function sendPushes(
  api: Api,
  { to: people, sent, isRunning }: { to: readonly string[]; sent: Sent[]; isRunning: () => boolean },
): Promise<void> {
  for (let number = 0; isRunning(); number++) {
    const to = number % 2 === 0 ? people : people.slice(number % people.length).slice(0, 1)
    const text = `第 ${number + 1} 則公告`
    const reply = await api.post('/push', { to: { userIds: to }, text }, api.as('manager')).catch(() => null)
    sent.push({ text, to, outcome: outcomeOf(reply?.status) })
    await Bun.sleep(EVERY_MS)
  }
}

import { planSurvey } from '@palanquin/demo/pilgrim/survey'
import type { Sender } from '@palanquin/demo/send'
import type { WebhookEvent } from '@palanquin/line-simulator/events'
import type { LineStub } from '@palanquin/line-simulator/stub'
import { PIXEL } from '@palanquin/stack/testing/pixel'
import { type Ledger, outcomeOf, pointKey } from '@palanquin/testing/faults/ledger'
import type { Random } from '@palanquin/testing/random'
import type { Retries } from './retry-until-answered.ts'

/** Enough for a multicast of several recipients, and few enough to be a small part of the load. */
const PEOPLE = 12
/** Every n-th of them blocks the bot at the end. */
const LEAVES_EVERY = 4
/** Time between two messages of one user. */
const EVERY_MS = { min: 1_500, max: 4_500 }
/** As many check-ins as the achievement needs. */
const CHECKINS_BEFORE_SURVEY = 3

export type Chat = ReturnType<typeof openChat>

type Options = { line: LineStub; sender: Pick<Sender, 'survey'>; ledger: Ledger; retries: Retries }

/** Chat users, and LINE, which redelivers an event until it is accepted. Accepted events are recorded. */
export function openChat({ line: { control }, sender, ledger, retries }: Options) {
  const delivered = {
    /** Followers, users who blocked the bot, and photo messages. */
    following: new Set<string>(),
    left: new Set<string>(),
    photos: new Map<string, string>(),
  }
  const people = control.people.addMany(PEOPLE, { relation: 'none' })

  const deliver = async (event: WebhookEvent, onReply: (status: number | undefined) => void = () => {}) => {
    let send = control.send
    const once = async () => {
      const { answers } = await send(event)
      send = control.redeliver
      const status = answers[0]?.status
      return typeof status === 'number' ? { status } : null
    }
    const { status } = await retries.untilDecided('a webhook', once, (reply) => onReply(reply?.status))
    if (status !== 200) throw new Error(`a webhook was answered ${status}`)
  }
  const walk = async (userId: string, index: number, random: Random, isRunning: () => boolean) => {
    const person = control.from(userId)
    await deliver(person.follow())
    delivered.following.add(userId)
    const say: ((step: number) => Promise<void>)[] = [
      (step) => {
        const event = person.location({ lat: 23.5 + index / 100, lng: 120.3 + step / 1_000, title: '宮' })
        const key = pointKey({ userId, kind: 'checkin', recordedAt: event.timestamp })
        return deliver(event, (status) => ledger.note(key, outcomeOf(status)))
      },
      () => deliver(person.text('里程')),
      async () => {
        const event = person.image({ bytes: new Uint8Array(PIXEL), contentType: 'image/png' })
        await deliver(event)
        delivered.photos.set(event.message?.id ?? '', userId)
      },
    ]
    for (let step = 0; isRunning(); step++) {
      await say[step % say.length]?.(step)
      if (index % 2 === 0 && step === CHECKINS_BEFORE_SURVEY * say.length)
        await sender.survey(userId, { ...planSurvey(random, index), phone: '0912-345-678' })
      await Bun.sleep(random.between(EVERY_MS.min, EVERY_MS.max))
    }
    if (!leaves(index)) return
    delivered.following.delete(userId)
    await deliver(person.unfollow())
    delivered.left.add(userId)
  }
  const leaves = (index: number): boolean => index % LEAVES_EVERY === LEAVES_EVERY - 1

  return {
    delivered,
    /** Users who follow to the end, and so get every broadcast. */
    followers: people.filter((_, index) => !leaves(index)),
    /** Resolves when all have stopped and every event was accepted. */
    walk: async (random: Random, isRunning: () => boolean): Promise<void> => {
      await Promise.all(people.map((userId, index) => walk(userId, index, random, isRunning)))
    },
  }
}

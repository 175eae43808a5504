import { lastPerson } from '../session/session.ts'
import { createCheckinSender } from './checkin-sender.ts'
import { checkinsOf, keepCheckin } from './checkins.ts'
import type { Waiting } from './delivery.ts'
import { countWaiting, outboxOf } from './outbox.ts'
import { postCheckin, postPoints } from './post.ts'
import { createSender } from './sender.ts'

/** The browser comes back by itself, and no page may be there for a timer. */
const after = () => () => {}

/** Sends what waits of the person, once. @returns whether to try again: something waits, not for a sign-in */
export async function sendOnce(): Promise<boolean> {
  const person = await lastPerson()
  if (person === undefined) return false
  const { userId } = person
  const reasons = new Set<Waiting | null>()
  const points = createSender({
    outbox: outboxOf(userId),
    post: (batch) => postPoints(userId, batch),
    onChange: ({ why }) => void reasons.add(why),
    after,
  })
  const checkins = createCheckinSender({
    all: () => checkinsOf(userId),
    save: keepCheckin,
    post: (checkin) => postCheckin(userId, checkin),
    onChange: (why) => void reasons.add(why),
    after,
  })
  await Promise.all([points.wake(), checkins.wake()])
  if (reasons.has('signed-out') || reasons.has('forbidden')) return false
  return (await countWaiting(userId)) > 0
}

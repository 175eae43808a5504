import { checkinsOf } from './checkins.ts'
import { outboxOf } from './outbox.ts'

/** How many points and check-ins of a person this phone has not sent yet. */
export async function countWaiting(userId: string): Promise<number> {
  const checkins = await checkinsOf(userId)
  const { waiting } = await outboxOf(userId).count()
  return waiting + checkins.filter(({ state }) => state === 'waiting').length
}

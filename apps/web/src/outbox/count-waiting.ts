import { store } from '../store.ts'

/** How many points and check-ins of a person this phone has not sent yet. */
export async function countWaiting(userId: string): Promise<number> {
  try {
    const db = await store()
    const checkins = await db.getAllFromIndex('checkins', 'person', userId)
    const points = await db.countFromIndex('outbox', 'person', [userId, 'waiting'])
    return points + checkins.filter(({ state }) => state === 'waiting').length
  } catch (error) {
    console.warn('This phone keeps no outbox', error)
    return 0
  }
}

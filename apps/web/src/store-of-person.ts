import { withStore } from './store.ts'

const OF_A_PERSON = ['outbox', 'checkins', 'interruptions'] as const

/** What waits for one person is another's from now on: the walk of a phone was joined to a LINE id. */
export const passOn = (from: string, to: string): Promise<void> =>
  withStore(async (kept) => {
    const all = kept.transaction(OF_A_PERSON, 'readwrite')
    for (const name of OF_A_PERSON) {
      let cursor = await all.objectStore(name).openCursor()
      while (cursor) {
        if (cursor.value.userId === from) await cursor.update({ ...cursor.value, userId: to })
        cursor = await cursor.continue()
      }
    }
    await all.done
  })

/** Forgets a person who signs out, and all drafts. */
export const forgetPerson = (userId: string): Promise<void> =>
  withStore(async (kept) => {
    const all = kept.transaction(['feedback', 'drafts', ...OF_A_PERSON], 'readwrite')
    await Promise.all([all.objectStore('feedback').clear(), all.objectStore('drafts').clear()])
    for (const name of OF_A_PERSON) {
      let cursor = await all.objectStore(name).openCursor()
      while (cursor) {
        if (cursor.value.userId === userId) await cursor.delete()
        cursor = await cursor.continue()
      }
    }
    await all.done
  })

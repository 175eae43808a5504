import { type DBSchema, type IDBPDatabase, openDB } from 'idb'
import type { SavedCheckin } from './outbox/checkin.ts'
import type { OutboxEntry } from './outbox/entry.ts'
import type { Interruption } from './recording/interruption.ts'

/** What this phone keeps for the people who use it. */
interface Kept extends DBSchema {
  /** Feedback that was written here, with the token that edits it. */
  feedback: { key: string; value: { id: string; editToken: string; category: string; at: number } }
  /** Unsent drafts, and what was last known of the person who is signed in. */
  drafts: { key: string; value: unknown }
  /** Points that wait for their upload, each of one person. */
  outbox: { key: number; value: OutboxEntry; indexes: { person: [string, string] } }
  checkins: { key: number; value: SavedCheckin; indexes: { person: string } }
  interruptions: { key: number; value: Interruption; indexes: { person: string } }
}
export type Store = IDBPDatabase<Kept>

const NAME = 'palanquin'
const VERSION = 2
let opened: Promise<Store> | undefined

/** The phone's own database, opened at the first use. Rejects where the browser forbids it (private windows of old ones). */
export function store(): Promise<Store> {
  opened ??= openDB<Kept>(NAME, VERSION, {
    upgrade: (db, from) => {
      if (from < 1) {
        db.createObjectStore('feedback', { keyPath: 'id' })
        db.createObjectStore('drafts')
      }
      if (from < 2) {
        const bySeq = { keyPath: 'seq', autoIncrement: true }
        db.createObjectStore('outbox', bySeq).createIndex('person', ['userId', 'state'])
        db.createObjectStore('checkins', bySeq).createIndex('person', 'userId')
        db.createObjectStore('interruptions', bySeq).createIndex('person', 'userId')
      }
    },
    // A page of a newer build wants to change the database: this one opens it again at its next use.
    blocking: (_current, _blocked, event) => {
      opened = undefined
      if (event.target instanceof IDBDatabase) event.target.close()
    },
    terminated: () => {
      opened = undefined
    },
  })
  return opened
}

/** A draft under a name; undefined when there is none, or the browser keeps nothing. */
export async function readDraft<T>(name: string): Promise<T | undefined> {
  try {
    // Written by `keepDraft` of the same page alone.
    return (await (await store()).get('drafts', name)) as T | undefined
  } catch (error) {
    console.warn('Drafts cannot be read on this phone', error)
    return undefined
  }
}

/** Keeps a draft, or forgets it when it is undefined. */
export async function keepDraft(name: string, draft: unknown): Promise<void> {
  try {
    const db = await store()
    await (draft === undefined ? db.delete('drafts', name) : db.put('drafts', draft, name))
  } catch (error) {
    console.warn('Drafts cannot be kept on this phone', error)
  }
}

/** The draft that says who is signed in here. */
export const PERSON = 'person'

/** Keeps a draft if this person is signed in here: in one transaction, so that nothing is kept of who has just left. */
export async function keepDraftOf(userId: string, name: string, draft: unknown): Promise<void> {
  try {
    const change = (await store()).transaction('drafts', 'readwrite')
    const present: unknown = await change.store.get(PERSON)
    const isPresent =
      typeof present === 'object' && present !== null && 'userId' in present && present.userId === userId
    if (isPresent) await change.store.put(draft, name)
    await change.done
  } catch (error) {
    console.warn('Drafts cannot be kept on this phone', error)
  }
}

const OF_A_PERSON = ['outbox', 'checkins', 'interruptions'] as const

/** What waits for one person is another's from now on: the walk of a phone was joined to a LINE id. */
export async function passOn(from: string, to: string): Promise<void> {
  const kept = await store()
  const all = kept.transaction(OF_A_PERSON, 'readwrite')
  for (const name of OF_A_PERSON) {
    let cursor = await all.objectStore(name).openCursor()
    while (cursor) {
      if (cursor.value.userId === from) await cursor.update({ ...cursor.value, userId: to })
      cursor = await cursor.continue()
    }
  }
  await all.done
}

/** Forgets a person who signs out, and all drafts. What waits for another person of this phone stays theirs. */
export async function forgetPerson(userId: string): Promise<void> {
  const kept = await store()
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
}

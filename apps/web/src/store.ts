import { type DBSchema, type IDBPDatabase, openDB } from 'idb'

/** What this phone keeps for its owner: the feedback that they wrote, with the token that edits it, and unsent drafts. */
interface Kept extends DBSchema {
  feedback: { key: string; value: { id: string; editToken: string; category: string; at: number } }
  drafts: { key: string; value: unknown }
}

const NAME = 'palanquin'
const VERSION = 1
let opened: Promise<IDBPDatabase<Kept>> | undefined

/** The phone's own database, opened at the first use. Rejects where the browser forbids it (private windows of old ones). */
export function store(): Promise<IDBPDatabase<Kept>> {
  opened ??= openDB<Kept>(NAME, VERSION, {
    upgrade: (db) => {
      db.createObjectStore('feedback', { keyPath: 'id' })
      db.createObjectStore('drafts')
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

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
type Store = IDBPDatabase<Kept>

const NAME = 'palanquin'
const VERSION = 2
/** A busy phone may take seconds; the next wait for a silent database is shorter. */
const WAIT_MS_MAX = 10_000
const NEXT_WAIT_MS_MAX = 1_000
/** The event of the window when the database begins to fail, or works again. */
export const STORE_CHANGED = 'store-changed'

let opened: Promise<Store> | undefined
let works = true
let isSilent = false

/** Whether the last use of the database succeeded. */
export const storeWorks = (): boolean => works

// Where the browser forbids it, `indexedDB.open` itself throws.
const open = async (): Promise<Store> =>
  openDB<Kept>(NAME, VERSION, {
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

/** Uses the phone's database. Rejects where it fails or does not answer; the next use opens it again. */
export async function withStore<T>(use: (db: Store) => Promise<T>): Promise<T> {
  opened ??= open()
  const mine = opened
  try {
    const result = await inTime(mine.then(use))
    report(true)
    return result
  } catch (error) {
    if (opened === mine) opened = undefined
    void mine.then((db) => db.close()).catch(() => {}) // it has failed already
    report(false)
    throw error
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const giveUp = () => {
      isSilent = true
      reject(new Error('the database of this phone does not answer'))
    }
    timer = setTimeout(giveUp, isSilent ? NEXT_WAIT_MS_MAX : WAIT_MS_MAX)
  })
  try {
    const result = await Promise.race([work, late])
    isSilent = false
    return result
  } finally {
    clearTimeout(timer)
  }
}

function report(isWorking: boolean): void {
  if (works === isWorking) return
  works = isWorking
  dispatchEvent(new Event(STORE_CHANGED))
}

import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '@palanquin/files/durable'
import { orIfMissing, placeDurably, removeDurably, sweepOld, writeSynced } from './folder-files.ts'
import { assertSize, GET_BYTES_MAX, inTime, PING_DEADLINE_MS } from './in-time.ts'
import type { ListedObject, Objects } from './objects.ts'

/** A path below the folder of which no part is hidden. */
const KEY = /^\w[\w-]*(?:\.\w+)?(?:\/[\w-]+(?:\.\w+)?)*$/
const DRAFTS = '.drafts'
/** Longer than any call: a draft this old is of a process that was killed. */
const DRAFT_AGE_MS = 60_000
const KEYS_PER_CALL = 1_000

/**
 * Objects as files of a folder, each at the path that its key is, for people to open and copy. A missing folder is a
 * store that is away (its disk is not mounted), never one without objects.
 */
export function openFolder(root: string, deadlineMsOfAll?: number): Objects {
  const drafts = join(root, DRAFTS)
  const call = <T>(work: (signal: AbortSignal) => Promise<T>, deadlineMs = deadlineMsOfAll) =>
    inTime(async (signal) => {
      await stat(root)
      return await work(signal)
    }, deadlineMs)
  const pathOf = (key: string): string => {
    if (!KEY.test(key)) throw new Error(`${JSON.stringify(key)} is no key of an object`)
    return join(root, key)
  }
  // What cannot be swept waits for the next start; `ping` says what is wrong with the folder.
  const sweep = () => sweepOld(drafts, DRAFT_AGE_MS).catch(() => {})
  const sweeping = setTimeout(sweep, DRAFT_AGE_MS).unref()

  return {
    ping: () =>
      inTime(() => access(root, constants.R_OK | constants.W_OK | constants.X_OK), PING_DEADLINE_MS),
    make: async () => makeFolder(root, 0o700),
    put: async (key, bytes, { deadlineMs } = {}) => {
      const [file, draft] = [pathOf(key), join(drafts, randomBytes(12).toString('hex'))]
      await call(async (signal) => {
        try {
          await writeSynced(root, draft, bytes)
          signal.throwIfAborted()
          await placeDurably(root, { draft, file })
        } finally {
          await rm(draft, { force: true }) // after a failure it would keep a full disk full
        }
      }, deadlineMs)
    },
    get: async (key, { bytesMax = GET_BYTES_MAX, deadlineMs } = {}) => {
      const file = pathOf(key)
      const read = async () => {
        assertSize((await stat(file)).size, bytesMax)
        return await readFile(file)
      }
      return await call(() => orIfMissing(null, read), deadlineMs)
    },
    remove: async (keys) => {
      for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
        const files = keys.slice(at, at + KEYS_PER_CALL).map(pathOf)
        await call(() => removeDurably(root, files))
      }
    },
    list: async function* (prefix) {
      const names = await call(() => readdir(root, { recursive: true }))
      const keys = names.filter((name) => name.startsWith(prefix) && KEY.test(name)).toSorted()
      for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
        const page = keys.slice(at, at + KEYS_PER_CALL)
        yield (await call(() => Promise.all(page.map((key) => listed(key, join(root, key)))))).flat()
      }
    },
    close: () => clearTimeout(sweeping),
  }
}

/** Nothing for a folder, and for a file that is gone meanwhile. */
const listed = (key: string, file: string): Promise<ListedObject[]> =>
  orIfMissing([], async () => {
    const found = await stat(file)
    return found.isFile() ? [{ key, bytes: found.size, modifiedAtMs: found.mtimeMs }] : []
  })

import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder, sweepDrafts } from '@palanquin/files/durable'
import { isCode } from '@palanquin/files/read'

const LOCK_NAME = /^lock-[0-9a-f]{8}$/
/** An earlier version locked a file of this name. */
const FORMER_LOCK = 'lock'
const RETRY_MS = 50
/** In a rolling restart the old process still drains: up to 9 s (packages/service, run), and some. */
const WAIT_MS_MAX = 12_000

export type FolderLock = { release: () => void }

/**
 * Makes the folder this process's own and removes what a crash left half-written.
 *
 * The lock is a Unix socket in the folder at which its holder listens. The kernel refuses connections to it once the holder
 * is dead, kill -9 included, in every container of the machine; so a stale lock is never mistaken for a live one.
 * @throws Error with a sentence for the operator when another process holds it for longer than a restart takes
 */
export async function lockFolder(folder: string, waitMs = WAIT_MS_MAX): Promise<FolderLock> {
  makeFolder(folder, 0o700)
  const deadline = performance.now() + waitMs
  for (;;) {
    const lock = (await isLocked(folder)) ? undefined : await tryLock(folder)
    if (lock) {
      sweepDrafts(folder)
      rmSync(join(folder, FORMER_LOCK), { force: true })
      return lock
    }
    if (performance.now() > deadline)
      throw new Error(
        `Another process uses the journal folder ${folder}: give each instance its own JOURNAL_DIR.`,
      )
    await Bun.sleep(RETRY_MS * (1 + Math.random())) // two that met do not meet again
  }
}

/**
 * Shows its own socket first and looks for others then: of two processes that try at once at least one sees the other, and
 * who sees another gives up. A socket gets its name once it listens, so one that refuses belongs to a dead process.
 */
async function tryLock(folder: string): Promise<FolderLock | undefined> {
  const name = `lock-${randomBytes(4).toString('hex')}`
  const draft = join(folder, `${name}.${randomBytes(6).toString('hex')}.draft`)
  const server = Bun.listen({ unix: draft, socket: { open: (socket) => void socket.end(), data: () => {} } })
  server.unref()
  const release = () => {
    server.stop(true) // first: the disk may be gone
    rmSync(join(folder, name), { force: true })
  }
  try {
    renameSync(draft, join(folder, name))
    if (!(await isLocked(folder, name))) return { release }
  } catch (error) {
    release()
    if (!isCode(error, 'ENOENT')) throw error // another process swept the draft: it has the lock
    return undefined
  }
  release()
  return undefined
}

/** Whether a process other than the owner of `own` listens in the folder. Removes the sockets of dead processes. */
async function isLocked(folder: string, own?: string): Promise<boolean> {
  for (const name of readdirSync(folder)) {
    if (!LOCK_NAME.test(name) || name === own) continue
    if (await isListening(join(folder, name))) return true
  }
  return false
}

async function isListening(path: string): Promise<boolean> {
  try {
    const socket = await Bun.connect({ unix: path, socket: { data: () => {} } })
    socket.end()
    return true
  } catch (error) {
    if (isCode(error, 'ENOENT')) return false
    if (!isCode(error, 'ECONNREFUSED')) return true // it is there, and may be alive: of another user, or too busy to answer
    rmSync(path, { force: true })
    return false
  }
}

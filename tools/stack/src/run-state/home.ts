import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeFolder } from '@palanquin/files/durable'
import { LauncherError } from '../launcher-error.ts'

/** sun_path is 104 bytes on macOS, 108 on Linux; the longest name in the folder is `engagement-2.sock`. */
const SOCKET_FOLDER_BYTES_MAX = 104 - '/engagement-2.sock'.length - 1

/** Every path that one running stack writes, by name. */
export type Home = ReturnType<typeof homeAt>

export function homeAt(folder: string) {
  const within = (...names: string[]) => join(folder, ...names)
  return {
    folder,
    runFile: within('run.json'),
    tokensFile: within('tokens.env'),
    supervisorFile: within('supervisor.json'),
    lockFile: within('supervisor.lock'),
    certificates: within('tls'),
    secret: (name: string) => within('secrets', name),
    journal: within('journal'),
    objects: within('objects'),
    logFile: (name: string) => within('logs', `${name}.log`),
    logs: within('logs'),
    runFolder: within('run'),
    pidFile: (service: string) => within('run', `${service}.pid`),
    readyFile: (service: string) => within('run', `${service}.json`),
    /** On the command line of each process of this home, so that orphans can be found. */
    marker: (service: string) => `palanquin-${service}@${folder}`,
    benchmarks: within('benchmarks'),
  }
}

/**
 * Creates the home's folder, private to its owner. Root lets others pass through (not list): PostgreSQL
 * refuses to be root and must reach its own folder below.
 */
export function openHome(home: Home): void {
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  try {
    makeFolder(home.folder, mode)
    makeFolder(home.logs, 0o700)
  } catch (error) {
    throw new LauncherError(
      `Cannot write to ${home.folder} (${error instanceof Error ? error.message : error}): choose another folder with --home DIR.`,
    )
  }
}

/**
 * The private folder of a home's Unix sockets, outside of the home because socket paths must be short.
 * @throws LauncherError when it belongs to another user
 */
export function openSocketFolder(home: Home): string {
  const folder = socketFolderOf(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== userId())
    throw new LauncherError(
      `${folder} belongs to another user: remove it, or set TMPDIR to a folder of your own.`,
    )
  chmodSync(folder, 0o700)
  return folder
}

/** Removes the sockets of a stopped home. */
export const removeSocketFolder = (home: Home): void =>
  rmSync(socketFolderOf(home), { recursive: true, force: true })

/** Where a home's sockets are; the folder may not exist. */
export function socketFolderOf({ folder }: Home): string {
  const name = `palanquin-${userId()}-${createHash('sha256').update(folder).digest('hex').slice(0, 12)}`
  const usual = join(tmpdir(), name)
  return Buffer.byteLength(usual) <= SOCKET_FOLDER_BYTES_MAX ? usual : join('/tmp', name)
}

const userId = (): number => process.getuid?.() ?? 0

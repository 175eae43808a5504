import { writeAtomically } from '@palanquin/files/durable'
import { readJsonIfThere } from '@palanquin/files/read'
import type { S3Access } from '@palanquin/objects/objects'
import { newest, type Tokens } from '../settings/secrets.ts'
import type { Home } from './home.ts'

/** What `<home>/run.json` says about the running stack (contract, section 7). */
export type RunFile = {
  url: string
  caFile: string
  tokens: Tokens
  databaseUrl: string
  redisUrl: string
  /** Null where the objects are in the folder. */
  s3: S3Access | null
  objectsFolder: string | null
  internalToken: string
  services: Record<string, { pid: number; url?: string; metricsUrl: string }>
  line: {
    configured: boolean
    /** The page and the process of LINE=stub; null for the real LINE. */
    stubUrl: string | null
    pid: number | null
    apiBase: string
    dataApiBase: string
    loginBase: string
    channelSecret: string | null
    channelAccessToken: string | null
    loginChannelId: string | null
  }
}

/** Replaces the whole file, readable by its owner alone. Of tokens being rotated it names the new ones. */
export function writeRunFile(home: Home, run: RunFile): void {
  const { owner, manager, volunteer } = run.tokens
  const tokens = { owner: newest(owner), manager: newest(manager), volunteer: newest(volunteer) }
  writeAtomically(home.runFile, `${JSON.stringify({ ...run, tokens }, null, 2)}\n`)
}

/** What runs, or undefined when the file is missing, unreadable or something else. */
export function readRunFile(home: Home): RunFile | undefined {
  const value = readJsonIfThere(home.runFile)
  return isRunFile(value) ? value : undefined
}

const isRunFile = (value: unknown): value is RunFile =>
  typeof value === 'object' &&
  value !== null &&
  ['url', 'caFile', 'tokens', 'databaseUrl', 'redisUrl', 's3', 'internalToken', 'services'].every(
    (name) => name in value,
  )

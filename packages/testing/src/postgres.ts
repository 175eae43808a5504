import { randomBytes } from 'node:crypto'
import { type OtherVersion, postgresOf, wantedVersion } from './postgres-version.ts'
import { newServerFolder, startTestServer, type TestServer } from './server.ts'
import { administer, ensureTemplate } from './template.ts'

export type TestDatabase = {
  url: string
  /** Drops it, with connections open or not. */
  close: () => Promise<void>
}

/** Tests of several packages run at once, each with pools of its own. */
const SETTINGS = { max_connections: '300' }
/** Of the server that all tests share: nobody kills it, and a kill would take its last commits along. */
const SHARED = { synchronous_commit: 'off' }

let sharedServer: Promise<TestServer> | undefined

/**
 * A fresh database with all migrations applied (`migrated: false`: an empty one), on a server that all tests of
 * this process share: TEST_DATABASE_URL, which the runner of all tests sets, else one that is started by the
 * first caller and ended by the supervisor when the process ends.
 */
export async function testDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL ?? (await ownServer()).url
  const template = migrated ? await ensureTemplate(serverUrl) : 'template0'
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`
  await administer(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  return {
    url: databaseUrl(serverUrl, name),
    close: () => administer(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

type Own = { folder?: string; settings?: Record<string, string>; version?: OtherVersion }

/** A PostgreSQL that the caller has to itself, to be killed, suspended and brought back. */
export async function testPostgres(own: Own = {}): Promise<TestServer> {
  const server = await startServer(own)
  const template = await ensureTemplate(server.url)
  const name = 'test_own'
  await administer(server.url, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  return { ...server, url: databaseUrl(server.url, name) }
}

function ownServer(): Promise<TestServer> {
  sharedServer ??= startServer({ settings: SHARED })
  return sharedServer
}

async function startServer({
  folder = newServerFolder('postgres'),
  settings,
  version = wantedVersion(),
}: Own): Promise<TestServer> {
  const binaries = version && (await postgresOf(version))
  const options = { settings: { ...SETTINGS, ...settings }, nofsync: true, binaries }
  return await startTestServer({ kind: 'postgres', folder, options })
}

function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

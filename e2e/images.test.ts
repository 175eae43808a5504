import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'

setDefaultTimeout(TEST_TIMEOUT_MS)

const succeeds = (...command: string[]): boolean =>
  Bun.which(command[0] ?? '') !== null && Bun.spawnSync(command).success
const compose = [['docker', 'compose'], ['docker-compose']].find((words) => succeeds(...words, 'version'))
/** Builds a stage of the Dockerfile. */
const build = succeeds('docker', 'info')
  ? ['docker', 'build']
  : succeeds('buildah', 'info')
    ? ['buildah', 'build']
    : undefined
const because = (reason: string, isThere: boolean): string => (isThere ? '' : ` (skipped: ${reason})`)

const folder = mkdtempSync(join(tmpdir(), 'palanquin-compose-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

type Config = { services: Record<string, { environment?: object; logging: { options: object } }> }
const SECRETS = [
  'POSTGRES_PASSWORD',
  'REDIS_PASSWORD',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'INTERNAL_TOKEN',
  'PSEUDONYM_SECRET',
  'EVENT_ADMIN_TOKEN',
  'EVENT_MANAGER_TOKEN',
  'EVENT_VOLUNTEER_TOKEN',
]

async function run(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { cwd: PROJECT_ROOT, stdout: 'pipe', stderr: 'pipe' })
  const [out, problems, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  expect({ command, code, problems: code === 0 ? '' : problems }).toEqual({ command, code: 0, problems: '' })
  return out
}

test.skipIf(!compose)(
  `compose reads docker-compose.yml, and passes a setting on to the service that reads it${because('there is no docker compose', compose !== undefined)}`,
  async () => {
    const settings = join(folder, 'env')
    const lines = SECRETS.map((name) => `${name}=${name.toLowerCase()}`)
    const chosen = ['USER_AUTH=off', 'PUBLIC_HOSTS=walk.example', 'LOST_LIMIT=77', 'LOG_BYTES_MAX=1000000']
    writeFileSync(settings, [...lines, ...chosen].join('\n'))
    const text = await run([...(compose ?? []), '--env-file', settings, 'config', '--format', 'json'])
    const { services }: Config = JSON.parse(text)
    expect(services.gateway?.environment).toMatchObject({ LOST_LIMIT: '77', USER_AUTH: 'off' })
    for (const [name, { logging }] of Object.entries(services))
      expect([name, logging.options]).toEqual([name, { 'max-size': '1000000', 'max-file': '2' }])
  },
)

test.skipIf(!build)(
  `every image can be built${because('there is neither a Docker engine nor buildah', build !== undefined)}`,
  async () => {
    for (const target of ['migrate', 'make-bucket', 'tracking', 'map', 'engagement', 'line-bot', 'gateway'])
      await run([...(build ?? []), '--target', target, '--tag', `palanquin-test/${target}`, '.'])
  },
)

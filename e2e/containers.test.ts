import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepCertificate } from '@palanquin/stack/certificate/keep'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { KEEP_MEMORY } from '@palanquin/stack/settings/runtime-memory'
import { readVariables } from '@palanquin/stack/settings/service-variables'
import { entryOf } from '@palanquin/stack/units/entries'
import { webBuild } from '@palanquin/stack/units/web-build'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { until } from '@palanquin/testing/until'

setDefaultTimeout(TEST_TIMEOUT_MS)

/** Without a Docker engine: the files are compared with the code and each other. */
const read = (name: string) => readFileSync(join(PROJECT_ROOT, name), 'utf8')
const dockerfile = read('Dockerfile')
const described = [...read('.env.example').matchAll(/^#([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => `${name}`)

/** A variable without a value is passed on. */
type Environment = Record<string, string | number | null>
type Compose = {
  services: Record<
    string,
    {
      image?: string
      command?: string[]
      build?: { target: string }
      environment?: Environment
      healthcheck?: unknown
    }
  >
}
const compose = Bun.YAML.parse(read('docker-compose.yml')) as Compose
type Lock = {
  workspaces: Record<string, { dependencies?: Record<string, string> }>
  packages: Record<
    string,
    [
      id: string,
      registry?: string,
      needs?: { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> },
    ]
  >
}
const lock = Bun.JSONC.parse(read('bun.lock')) as Lock
const own = Object.entries(compose.services).flatMap(([name, service]) =>
  service.build ? [{ name, target: service.build.target, environment: service.environment ?? {} }] : [],
)
const SERVICES = ['tracking', 'map', 'engagement', 'media', 'line-bot', 'gateway']

const namesWith = (environment: Environment, matches: (value: string | number | null) => boolean) =>
  Object.entries(environment).flatMap(([name, value]) => (matches(value) ? [name] : []))

const stage = (target: string): string => {
  const from = dockerfile.indexOf(` AS ${target}\n`)
  return from < 0 ? '' : (dockerfile.slice(from).split(/\nFROM /)[0] ?? '')
}
const commandOf = (target: string): string[] => JSON.parse(/\nCMD (\[.*\])/.exec(stage(target))?.[1] ?? '[]')

const folder = mkdtempSync(join(tmpdir(), 'palanquin-containers-'))
const running: Bun.Subprocess[] = []
afterAll(async () => {
  for (const process of running) process.kill('SIGKILL')
  await Promise.all(running.map((process) => process.exited))
  rmSync(folder, { recursive: true, force: true })
})

test('compose builds every service, and the Dockerfile has a stage and a command for each', () => {
  const targets = own.map(({ target }) => target)
  for (const service of SERVICES) expect(targets).toContain(service)
  for (const target of targets) {
    const file = commandOf(target).at(-1) ?? 'none'
    expect({ target, there: existsSync(join(PROJECT_ROOT, file)) }).toEqual({ target, there: true })
  }
})

test('no container runs as root, and every service has a health check', () => {
  expect(stage('service')).toMatch(/\nUSER bun\n[\s\S]*HEALTHCHECK/)
  for (const service of SERVICES)
    expect(stage(service).lastIndexOf('USER root')).toBeLessThanOrEqual(
      stage(service).lastIndexOf('USER bun'),
    )
  for (const [name, service] of Object.entries(compose.services))
    if (service.image)
      expect({ name, checked: service.healthcheck !== undefined }).toEqual({ name, checked: true })
})

test('every image keeps memory as a process of the launcher does', () => {
  for (const [name, value] of Object.entries(KEEP_MEMORY))
    expect(stage('service')).toMatch(new RegExp(`\\nENV (?:.* )?${name}=${value}(?: .*)?\\n`))
})

test('the install layer copies the manifest of every package, so that the frozen lockfile fits', () => {
  for (const kind of ['apps', 'packages', 'tools'])
    for (const name of readdirSync(join(PROJECT_ROOT, kind)))
      if (existsSync(join(PROJECT_ROOT, kind, name, 'package.json')))
        expect(dockerfile).toContain(`COPY ${kind}/${name}/package.json ${kind}/${name}/`)
})

/**
 * The packages of the lockfile that a stage installs with `--filter`, including those of its workspace
 * packages.
 */
function installedIn(target: string): Set<string> {
  const [, source = 'none'] = /\nCOPY --from=(\S+) \/app/.exec(stage(target)) ?? []
  const [, folder = 'none'] = / --filter \.\/(\S+)\n/.exec(stage(source)) ?? []
  const found = new Set<string>()
  const add = (names: string[], parent?: string): void => {
    for (const name of names) {
      // The lockfile names a second version of a package by its parent, too.
      const key = `${parent}/${name}` in lock.packages ? `${parent}/${name}` : name
      if (found.has(key)) continue
      found.add(key)
      const [id = '', , needs] = lock.packages[key] ?? []
      const workspace = lock.workspaces[id.split('@workspace:')[1] ?? '']
      add(
        Object.keys({ ...workspace?.dependencies, ...needs?.dependencies, ...needs?.optionalDependencies }),
        key,
      )
    }
  }
  add(Object.keys(lock.workspaces[folder]?.dependencies ?? {}))
  return found
}

test('only media’s image has fonts and image libraries, and each image has its app’s dependencies', () => {
  const heavy = /^(?:sharp|satori|@resvg\/resvg-js|@twemoji\/svg|@expo-google-fonts\/.*|@fontsource\/.*)$/
  for (const target of [...SERVICES, 'migrate']) {
    const app = commandOf(target).at(-1)?.split('/src/')[0] ?? 'none'
    const packages = installedIn(target)
    const isMedia = target === 'media'
    expect({ target, of: app, heavy: [...packages].some((name) => heavy.test(name)) }).toEqual({
      target,
      of: app,
      heavy: isMedia,
    })
    expect([target, packages.has('@palanquin/service'), packages.has('typebox')]).toEqual([
      target,
      true,
      true,
    ])
    expect(stage(target)).toContain(app.startsWith('apps/') ? `\nCOPY ${app} ${app}\n` : '\nCOPY --from=')
  }
  expect(stage('service')).not.toContain('COPY --from=')
  expect(stage('manifests')).not.toContain('bun install')
})

test('every variable that a user sets for compose is in .env.example', () => {
  const asked = [...read('docker-compose.yml').matchAll(/\$\{([A-Z_0-9]+)/g)].map(([, name]) => name)
  const passedOn = own.flatMap(({ environment }) => namesWith(environment, (value) => value === null))
  expect([...asked, ...passedOn].filter((name) => !described.includes(`${name}`))).toEqual([])
})

test('every variable of .env.example reaches the containers whose config reads it', async () => {
  for (const service of SERVICES) {
    const text = JSON.stringify(compose.services[service])
    const read = (await readVariables(entryOf(service))).map((name) => name.replace('<BRAND>', 'EVENT'))
    const dropped = read.filter(
      (name) => described.includes(name) && !new RegExp(`"${name}":|\\$\\{${name}\\b`).test(text),
    )
    expect({ service, dropped }).toEqual({ service, dropped: [] })
  }
})

test('each container gets the variables that its service reads, and no other’s secrets', async () => {
  for (const { target, environment } of own.filter(({ target }) => SERVICES.includes(target))) {
    const names = (await readVariables(entryOf(target))).map((name) => name.replace('<BRAND>', 'EVENT'))
    expect([target, Object.keys(environment).filter((name) => !names.includes(name))]).toEqual([target, []])
  }
})

test('Redis has a memory limit and evicts nothing', () => {
  const command = compose.services.redis?.command?.join(' ')
  expect(command).toMatch(/--maxmemory \$\{REDIS_MAXMEMORY:-\d+gb\} --maxmemory-policy noeviction/)
})

describe('started with exactly the environment of compose', () => {
  const given = (variable: string) =>
    variable === 'PUBLIC_HOSTS'
      ? 'walk.example'
      : variable === 'USER_AUTH'
        ? 'off'
        : Bun.hash(variable).toString(36).repeat(3)
  /**
   * `${NAME:-default}` and `${NAME:?…}` as compose reads them, with our own value where a user must set one.
   */
  const interpolate = (value: string | number): string =>
    String(value).replace(
      /\$\{([A-Z_0-9]+)(?::([-?])([^}]*))?\}/g,
      (_, variable: string, kind: string, rest: string) => (kind === '?' ? given(variable) : (rest ?? '')),
    )
  /** A free port: a service must run without its stores. */
  const NOWHERE = '127.0.0.1:9'

  const start = async (target: string, environment: Environment) => {
    const tls = await keepCertificate(join(folder, 'tls'), new Date())
    const env: Record<string, string> = {
      PATH: process.env.PATH ?? '',
      ...Object.fromEntries(
        Object.entries(environment).flatMap(([name, value]) =>
          value === null ? [] : [[name, interpolate(value)]],
        ),
      ),
    }
    const readyFile = join(folder, `${target}.json`)
    const [, ...args] = commandOf(target)
    const child = Bun.spawn([process.execPath, '--no-env-file', ...args], {
      cwd: PROJECT_ROOT,
      stdout: Bun.file(join(folder, `${target}.log`)),
      stderr: Bun.file(join(folder, `${target}.err`)),
      env: {
        ...env,
        // Paths that exist only in a container.
        HOST: '127.0.0.1',
        PORT: '0',
        READY_FILE: readyFile,
        ...(env.DATABASE_URL ? { DATABASE_URL: `postgres://palanquin:x@${NOWHERE}/palanquin` } : {}),
        ...(env.REDIS_URL ? { REDIS_URL: `redis://:x@${NOWHERE}` } : {}),
        ...(target === 'tracking' ? { JOURNAL_DIR: join(folder, 'journal') } : {}),
        ...(target === 'gateway'
          ? {
              PUBLIC_ADDRESS: '127.0.0.1',
              PUBLIC_PORT: '0',
              TLS_CERT_FILE: tls.certFile,
              TLS_KEY_FILE: tls.keyFile,
            }
          : {}),
      },
    })
    running.push(child)
    return { child, readyFile }
  }

  for (const service of SERVICES)
    test(`${service} starts in production without its stores, and is not ready`, async () => {
      // The image has the pages in it; here they are built as the launcher does.
      const pages = service === 'gateway' ? { WEB_DIR: await webBuild() } : {}
      const environment = own.find(({ target }) => target === service)?.environment ?? {}
      const { child, readyFile } = await start(service, { ...environment, ...pages })
      const address = await until(() => child.exitCode !== null || existsSync(readyFile), {
        what: `${service} listens`,
      }).then(() => {
        expect(readFileSync(join(folder, `${service}.err`), 'utf8')).toBe('')
        return JSON.parse(readFileSync(readyFile, 'utf8')) as { metricsUrl: string }
      })
      const port = address.metricsUrl.replace('/metrics', '')
      expect((await fetch(`${port}/live`)).status).toBe(200)
      if (service !== 'line-bot') expect((await fetch(`${port}/ready`)).status).toBe(503)
    })
})

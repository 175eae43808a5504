import { dirname, join } from 'node:path'
import type { Package, Source } from './sources.ts'

/** Who may know whom (docs/architecture.md). Whoever is not named is an app. */
const MAY_KNOW: Record<string, readonly string[]> = {
  domain: [],
  files: [],
  'line-messages': ['service'],
  service: ['domain'],
  db: ['domain', 'service'],
  events: ['domain', 'service', 'db'],
  embedded: ['files'],
  testing: ['domain', 'service', 'db', 'embedded'],
  gateway: ['domain', 'service'],
}
const APP_MAY_KNOW = ['files', 'domain', 'service', 'db', 'events', 'line-messages']
/** Only tests may know these, and `local`, whose trade they are. */
const FOR_TESTS = ['testing', 'embedded', 'line-simulator']
const PACKAGES = [...APP_MAY_KNOW, ...FOR_TESTS]
/** Tools know every package and each other, tests of the whole stack too; neither knows an app. */
const TOOLS = ['stack', 'backup', 'demo', 'bench', 'chaos', 'lint', 'cli']
/** The domain is pure: the time, chance and the environment are handed to it. */
const IMPURE =
  /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(|\bprocess\.|\bBun\.|\bMath\.random\(|\bfetch\(/
const HOUSE = '@palanquin/'

/** Every breach of the house's rules, as sentences; an empty list when there is none. */
export function breaches(packages: readonly Package[]): string[] {
  return packages.flatMap((owner) => owner.sources.flatMap((source) => breachesOf(owner, source)))
}

function breachesOf(owner: Package, source: Source): string[] {
  const found = source.imports.flatMap((name) => breachOfImport(owner, source, name) ?? [])
  if (owner.name === 'domain' && !source.isTest && IMPURE.test(source.text))
    found.push('reads the clock, chance or the environment, which are handed to the domain')
  return found.map((sentence) => `${source.file} ${sentence}`)
}

function breachOfImport(owner: Package, source: Source, name: string): string | undefined {
  if (name.startsWith('.')) {
    const target = join(dirname(source.file), name)
    return target.startsWith(`${owner.folder}/`) ? undefined : `reaches into another package: ${name}`
  }
  if (name.startsWith('node:') || name === 'bun' || name.startsWith('bun:')) {
    const pure = owner.name === 'domain' && !source.isTest
    return pure ? `uses ${name}, and the domain does no I/O` : undefined
  }
  const packageName = name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
  if (packageName.startsWith(HOUSE)) {
    const room = packageName.slice(HOUSE.length)
    if (room === owner.name) return undefined
    if (!mayKnow(owner, source, room)) return `may not know ${packageName}`
  } else if (owner.name === 'domain' && !source.isTest && packageName !== 'typebox')
    return `uses ${packageName}, and the domain knows typebox only`
  const isErased = source.isTest || isTypeOnly(source.text, name)
  const declared = owner.dependencies.has(packageName) || (isErased && owner.devDependencies.has(packageName))
  return declared
    ? undefined
    : `uses ${packageName}, which ${owner.folder}/package.json does not declare for it`
}

/** Whether a source takes types alone from a module: nothing of it is there at run time. */
function isTypeOnly(text: string, name: string): boolean {
  const imports = text.split('\n').filter((line) => line.includes(`'${name}'`))
  return imports.length > 0 && imports.every((line) => /^(import|export) type .* from '/.test(line))
}

function mayKnow(owner: Package, source: Source, room: string): boolean {
  if (owner.folder === 'e2e' || (owner.folder.startsWith('tools/') && !(owner.name in MAY_KNOW)))
    return [...PACKAGES, ...TOOLS].includes(room)
  const allowed = MAY_KNOW[owner.name] ?? (owner.isApp ? APP_MAY_KNOW : [])
  return (
    allowed.includes(room) || (source.isTest && (FOR_TESTS.includes(room) || APP_MAY_KNOW.includes(room)))
  )
}

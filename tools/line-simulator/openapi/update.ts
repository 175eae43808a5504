import { fileURLToPath } from 'node:url'

/** Requests whose body is validated; everything that they refer to is kept. */
const ROOTS = [
  'ReplyMessageRequest',
  'PushMessageRequest',
  'MulticastRequest',
  'NarrowcastRequest',
  'BroadcastRequest',
  'ValidateMessageRequest',
  'ShowLoadingAnimationRequest',
  'MarkMessagesAsReadByTokenRequest',
  'RichMenuRequest',
]
/** LINE alone knows who is in an audience: what narrows a narrowcast is not looked into. */
const OPAQUE = new Set(['Recipient', 'Filter'])
const PROSE = new Set(['description', 'externalDocs', 'example'])
const REFERENCE = '#/components/schemas/'

const source: unknown = Bun.YAML.parse(await Bun.file(process.argv[2] ?? 'messaging-api.yml').text())
const all = at(at(source, 'components'), 'schemas')
const kept: Record<string, unknown> = {}
for (const name of ROOTS) keep(name)
const sorted = Object.fromEntries(Object.entries(kept).toSorted(([a], [b]) => a.localeCompare(b)))
await Bun.write(fileURLToPath(new URL('schemas.json', import.meta.url)), JSON.stringify(sorted, null, 2))

function keep(name: string): void {
  if (name in kept) return
  kept[name] = OPAQUE.has(name) ? { type: 'object' } : withoutProse(at(all, name))
  for (const reference of referencesIn(kept[name])) keep(reference)
}

function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([name, one]) => !(PROSE.has(name) && !isSchema(name, one)))
  return Object.fromEntries(entries.map(([name, one]) => [name, withoutProse(one)]))
}

/** A property of an object may be called `description` itself. */
function isSchema(name: string, value: unknown): boolean {
  return name === 'description' && isObject(value)
}

function referencesIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith(REFERENCE) ? [value.slice(REFERENCE.length)] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(referencesIn) : []
}

function at(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

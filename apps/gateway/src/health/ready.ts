import type { Probe } from '@palanquin/service/probe'
import type { Service } from '../proxy/service.ts'
import type { ServiceName } from '../route.ts'
import type { Fields, ReadStatus } from './status-client.ts'

export type Readiness = { ok: boolean; service: 'gateway'; parts: Record<string, Part> }
type Part = { ok: boolean; detail?: string; parts?: Record<string, Probe> }

/** Whether the whole house can serve: every service's own `/ready`, and Redis for the limits. Asked once at a time. */
export function readinessReader({
  services,
  pingRedis,
  ask,
}: {
  services: Readonly<Record<ServiceName, Service>>
  pingRedis: () => Promise<boolean>
  ask: ReadStatus
}): () => Promise<Readiness> {
  let underWay: Promise<Readiness> | undefined
  const read = async (): Promise<Readiness> => {
    const asked = Object.entries(services).map(async ([name, service]): Promise<[string, Part]> => {
      return [name, partOf(await ask(service, '/ready', { evenIfUnwell: true }))]
    })
    const parts: Record<string, Part> = { redis: { ok: await pingRedis() } }
    for (const [name, part] of await Promise.all(asked)) parts[name] = part
    return { ok: Object.values(parts).every(({ ok }) => ok), service: 'gateway', parts }
  }
  return () => {
    underWay ??= read().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/** The same for everybody outside: which part is not ready and what it notes, without the details that may name hosts. */
export function withoutDetails({ parts, ...readiness }: Readiness): Readiness {
  const bare: Record<string, Part> = {}
  for (const [name, part] of Object.entries(parts)) {
    const inner = Object.entries(part.parts ?? {}).map(([key, { ok, note }]): [string, Probe] => [
      key,
      note === undefined ? { ok } : { ok, note },
    ])
    bare[name] = { ok: part.ok, ...(part.parts ? { parts: Object.fromEntries(inner) } : {}) }
  }
  return { ...readiness, parts: bare }
}

function partOf(said: Fields | undefined): Part {
  if (!said) return { ok: false, detail: 'no answer' }
  const parts: Record<string, Probe> = {}
  for (const [name, part] of Object.entries(fieldsOf(said.parts))) {
    const { ok, detail, note } = fieldsOf(part)
    parts[name] = {
      ok: ok === true,
      ...(typeof detail === 'string' ? { detail } : {}),
      ...(typeof note === 'string' ? { note } : {}),
    }
  }
  return { ok: said.ok === true, parts }
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {})

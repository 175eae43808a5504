import { memoize } from '@palanquin/service/memoize'
import type { Probe } from '@palanquin/service/probe'
import type { ServiceClient } from '@palanquin/service/service-client'
import Type, { type Static } from 'typebox'
import type { ServiceClients } from '../proxy/client.ts'
import { statusOf } from './status.ts'

export type Readiness = { ok: boolean; service: 'gateway'; parts: Record<string, Part> }
type Part = { ok: boolean; detail?: string; parts?: Record<string, Probe> }

/** `GET /ready` of a service, and its 503. */
const ServiceReadiness = Type.Object({
  ok: Type.Boolean(),
  parts: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({
        ok: Type.Boolean(),
        detail: Type.Optional(Type.String()),
        note: Type.Optional(Type.String()),
      }),
    ),
  ),
})

/** Whether the whole deployment can serve: every service's own `/ready`, and Redis for the limits. One reading at a time. */
export function readinessReader({
  clients,
  pingRedis,
  deadlineMs,
}: {
  clients: ServiceClients
  pingRedis: () => Promise<boolean>
  deadlineMs?: number | undefined
}): () => Promise<Readiness> {
  const read = async (): Promise<Readiness> => {
    const reading = Object.entries(clients).map(
      async ([name, client]): Promise<[string, Part]> => [name, await partOf(client, deadlineMs)],
    )
    const parts: Record<string, Part> = { redis: { ok: await pingRedis() } }
    for (const [name, part] of await Promise.all(reading)) parts[name] = part
    return { ok: Object.values(parts).every(({ ok }) => ok), service: 'gateway', parts }
  }
  return memoize(read, { ttlMs: 0 })
}

/** For the public: which part is not ready and its note, without details, which may name hosts. */
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

async function partOf(client: ServiceClient, deadlineMs: number | undefined): Promise<Part> {
  const said = await statusOf(client, '/ready', { reply: ServiceReadiness, alsoOk: [503], deadlineMs })
  return said ? { ok: said.ok, parts: probesOf(said) } : { ok: false, detail: 'no answer' }
}

function probesOf({ parts = {} }: Static<typeof ServiceReadiness>): Record<string, Probe> {
  const probes: Record<string, Probe> = {}
  for (const [name, { ok, detail, note }] of Object.entries(parts))
    probes[name] = {
      ok,
      ...(detail === undefined ? {} : { detail }),
      ...(note === undefined ? {} : { note }),
    }
  return probes
}

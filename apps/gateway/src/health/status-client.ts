import { randomUUID } from 'node:crypto'
import { INTERNAL_TOKEN_HEADER, REQUEST_ID_HEADER } from '@palanquin/service/http/headers'
import type { Reply } from '../proxy/attempt.ts'
import type { Service } from '../proxy/service.ts'

/** `/health` has a second in all, and a service's own look at its stores half a second. */
const DEADLINE_MS = 650

export type Fields = Readonly<Record<string, unknown>>
/** Asks a service for a JSON object of its own; undefined when it does not answer in time, or something else. */
export type ReadStatus = (
  service: Service,
  path: string,
  options?: { evenIfUnwell?: boolean },
) => Promise<Fields | undefined>

/** Calls of the gateway itself to its services. `evenIfUnwell` takes the object of a 503 too (`/ready` says why). */
export function statusReader(internalToken: string): ReadStatus {
  return async (service, path, { evenIfUnwell = false } = {}) => {
    const headers = { [INTERNAL_TOKEN_HEADER]: internalToken, [REQUEST_ID_HEADER]: randomUUID() }
    const call = { method: 'GET', target: path, headers, body: undefined }
    const outcome = await service.call(call, { deadlineMs: DEADLINE_MS, repeatable: true, hold: false })
    if (typeof outcome === 'string') return undefined
    if (outcome.status !== 200 && !(evenIfUnwell && outcome.status === 503)) {
      if (outcome.body instanceof ReadableStream) await outcome.body.cancel()
      return undefined
    }
    return readFields(outcome.body)
  }
}

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined

/** The object, or the `data` of `{ok, data}`. */
async function readFields(body: Reply['body']): Promise<Fields | undefined> {
  try {
    const value = fieldsOf(await new Response(body).json())
    return fieldsOf(value?.data) ?? value
  } catch {
    return undefined // not JSON, or it broke off: as good as no answer
  }
}

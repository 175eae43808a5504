import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { ServiceClient } from '@palanquin/service/service-client'
import type { Static, TSchema } from 'typebox'

/** `/health` has a second in all, and a service's own look at its stores half a second. */
const STATUS_DEADLINE_MS = 650

/** What a service says of itself; undefined when it does not answer in time, or something else. */
export async function statusOf<S extends TSchema>(
  client: ServiceClient,
  path: `/${string}`,
  {
    reply,
    alsoOk = [],
    deadlineMs = STATUS_DEADLINE_MS,
  }: { reply: S; alsoOk?: readonly number[]; deadlineMs?: number | undefined },
): Promise<Static<S> | undefined> {
  try {
    const said = await client.call({ path, deadlineMs, reply, alsoOk })
    return said.ok ? said.data : undefined
  } catch (error) {
    if (error instanceof StoreUnavailable) return undefined
    throw error
  }
}

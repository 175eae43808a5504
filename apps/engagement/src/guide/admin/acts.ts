import type { Role } from '@palanquin/domain/role'
import { ApiError } from '@palanquin/service/http/api-error'
import { ok } from '@palanquin/service/http/app'
import { describe } from '@palanquin/service/http/openapi'
import Type, { type TSchema } from 'typebox'
import { administratorOf } from '../../roles/caller.ts'

export const tags = ['guide']
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
export const Deleted = Type.Object({ id: Type.String({ description: 'of what was deleted' }) })

export const full = (what: string, max: number) =>
  new ApiError('conflict', `There are ${max} ${what} already; please delete one first.`)

export const respond = <T extends object>(outcome: T | ApiError) =>
  outcome instanceof ApiError ? outcome : ok(outcome)

/** Runs an act of an organiser of at least the role `least`. */
export async function as<T>(
  request: Request,
  least: Role,
  act: (by: string) => Promise<T | ApiError>,
): Promise<T | ApiError> {
  const administrator = administratorOf(request.headers, least)
  return administrator instanceof ApiError ? administrator : act(administrator.by)
}

/** `request`: an example of the body; `schema`: the body, where the module reads it itself. */
export const described = (
  summary: string,
  status: 200 | 201,
  data: TSchema,
  example: unknown,
  request?: unknown,
  schema?: TSchema,
) =>
  describe({
    summary,
    tags,
    ...(request === undefined ? {} : { example: request }),
    ...(schema === undefined ? {} : { body: schema }),
    answers: { [status]: { description: 'as it stands now', data, example } },
    apiErrors: ['invalid', 'unauthorized', 'forbidden', 'notFound', 'conflict', 'unavailable'],
  })

import { isUserId } from '@palanquin/domain/ids'
import { normaliseKeys, readUserId } from '@palanquin/domain/payload'
import { ApiError } from '@palanquin/service/http/api-error'
import { type Content, isForm, userIdError } from '../middleware/content.ts'
import type { Params } from '../paths.ts'
import type { Route } from '../route.ts'

const notAForm = new ApiError('invalid', 'The body is not valid multipart/form-data.')

/**
 * The `userId` that a call names, in its path, query or body; undefined for none. Forms, which `readContent` leaves to
 * their service, are read here as the service will, because the ID token must be that of this very user.
 */
export async function namedUserOf(
  content: Content,
  { route, params, request, bytes }: { route: Route; params: Params; request: Request; bytes: ArrayBuffer },
): Promise<string | undefined | ApiError> {
  if (route.userId === 'path') return params.userId
  const type = request.headers.get('content-type') ?? ''
  if (route.body !== 'upload' || !isForm(type)) return content.userId
  const fields = await textFieldsOf(bytes, type)
  if (!fields) return notAForm
  const outcome = normaliseKeys(fields)
  if ('problem' in outcome) return new ApiError('invalid', outcome.problem)
  const userId = readUserId(outcome.value)
  return userId === undefined || isUserId(userId) ? userId : userIdError
}

async function textFieldsOf(bytes: ArrayBuffer, type: string): Promise<object | undefined> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    return Object.fromEntries([...form.entries()].filter(([, value]) => typeof value === 'string'))
  } catch {
    return undefined // Bun's parser says no more than that it is no form
  }
}

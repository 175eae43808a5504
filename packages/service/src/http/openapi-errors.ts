import Type from 'typebox'
import { type ApiErrorCode, STATUS_BY_CODE } from './api-error.ts'

export const ErrorAnswer = Type.Object({
  error: Type.String({
    minLength: 1,
    description: 'a sentence that a person can act on; a 400 names the field',
  }),
  requestId: Type.String({ description: 'what X-Request-Id says' }),
})

export const ERROR_TEXT: Record<ApiErrorCode, string> = {
  invalid: 'the request is malformed; the sentence names the field',
  unauthorized: 'a token is missing or invalid',
  forbidden: 'the token, or the state of the activity or participant, does not allow it',
  notFound: 'there is no such thing',
  methodNotAllowed: 'the path is known, the method is not',
  conflict: 'the present state forbids this transition',
  gone: 'it has ended',
  tooLarge: 'the body is larger than 102,400 bytes',
  tooMany: 'a rate limit is exceeded; see Retry-After',
  bug: 'a fault of ours',
  badGateway: 'a service is away',
  unavailable: 'a needed store is down; see Retry-After',
  timeout: 'a service did not answer in time',
}

type ErrorResponse = { description: string; content: { 'application/json': { schema: typeof ErrorAnswer } } }

export function apiErrorsOf(reasons: readonly ApiErrorCode[]): Record<string, ErrorResponse> {
  const responses: Record<string, ErrorResponse> = {}
  for (const reason of reasons)
    responses[String(STATUS_BY_CODE[reason])] = {
      description: ERROR_TEXT[reason],
      content: { 'application/json': { schema: ErrorAnswer } },
    }
  return responses
}

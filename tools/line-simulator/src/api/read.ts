import type { Static, TSchema } from 'typebox'
import { type Detail, isRecord, judge } from '../schema/judge.ts'
import { errors, faultsOfMessages, type Refused } from '../schema/message-faults.ts'
import { type Answer, apiError, type Call, readJson } from './answer.ts'

/** The body of a call, judged by its schema; `messages` are judged as LINE judges them. */
export function readBody<S extends TSchema>(
  schema: S,
  call: Call,
): { value: Static<S> } | { refused: Answer } {
  const json = readJson(call)
  if ('refused' in json) return json
  if (!isRecord(json.value))
    return { refused: apiError(400, 'The request body could not be parsed as JSON (line: 1, column: 1)') }
  const details = judge(schema, json.value)
  if (fits(schema, json.value, details)) return { value: json.value }
  const { message, details: told } = apiErrorOf(json.value, details)
  return { refused: apiError(400, message, told) }
}

/** The schema is the type's, and it found no fault. */
const fits = <S extends TSchema>(_schema: S, _value: unknown, details: Detail[]): _value is Static<S> =>
  details.length === 0

/** Faults of the messages alone are told in the shape that LINE has for them. */
function apiErrorOf(body: Record<string, unknown>, details: Detail[]): Refused {
  const ofMessages = details.every(({ property }) => property.startsWith('messages'))
  return (ofMessages && faultsOfMessages(body.messages)) || errors(details)
}

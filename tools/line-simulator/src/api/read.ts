import { isRecord } from '../is-record.ts'
import { lineErrorOf } from '../validation/line-error.ts'
import { type Validated, validate } from '../validation/validate.ts'
import { type Answer, apiError, type Call, readJson } from './answer.ts'

/** The body of a call, validated as the request of that name. */
export function readBody<N extends keyof Validated>(
  name: N,
  call: Call,
): { value: Validated[N] } | { refused: Answer } {
  const json = readJson(call)
  if ('refused' in json) return json
  if (!isRecord(json.value))
    return { refused: apiError(400, 'The request body could not be parsed as JSON (line: 1, column: 1)') }
  const validation = validate(name, json.value)
  if ('value' in validation) return validation
  const { message, details } = lineErrorOf(json.value, validation.faults)
  return { refused: apiError(400, message, details) }
}

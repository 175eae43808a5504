import { isRecord } from '../is-record.ts'
import { dotted, type Fault } from './faults.ts'
import { validate } from './validate.ts'

/** What is wrong with one property, as LINE reports it. */
export type Detail = { message: string; property: string }
/** What LINE answers to a body that it does not take. */
export type Refused = { message: string; details: Detail[] }

/** The steps to what a Flex message holds: `messages`, its number, `contents`. */
const STEPS_TO_CONTAINER = 3

/** Validates the `messages` of a request as LINE does; undefined when it would send them. */
export function errorOfMessages(messages: unknown): Refused | undefined {
  const validation = validate('Messages', messages)
  return 'faults' in validation ? lineErrorOf({ messages }, validation.faults) : undefined
}

/** LINE's answer to the faults of a body. */
export function lineErrorOf(body: Record<string, unknown>, faults: readonly Fault[]): Refused {
  const outside = faults.filter(({ path }) => !isInFlex(body.messages, path))
  if (outside.length > 0) {
    const details = outside.map(({ message, path }) => ({ message, property: dotted(path) }))
    return { message: `The request body has ${details.length} error(s)`, details }
  }
  const number = faults[0]?.path[1]
  return {
    message: `A message (messages[${number}]) in the request body is invalid`,
    details: faults
      .filter(({ path }) => path[1] === number)
      .map(({ message, path }) => ({ message, property: `/${path.slice(STEPS_TO_CONTAINER).join('/')}` })),
  }
}

function isInFlex(messages: unknown, path: readonly (string | number)[]): boolean {
  const [list, number, property] = path
  const message: unknown =
    list === 'messages' && Array.isArray(messages) && typeof number === 'number'
      ? messages[number]
      : undefined
  return property === 'contents' && isRecord(message) && message.type === 'flex'
}

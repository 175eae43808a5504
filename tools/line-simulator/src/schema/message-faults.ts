import { type Detail, dotted, faultsOf, isRecord, pointer } from './judge.ts'
import { Messages } from './message.ts'

/** What LINE answers to messages that it does not take. */
export type Refused = { message: string; details: Detail[] }

/** The steps to what a Flex message holds: `messages`, its number, `contents`. */
const STEPS_TO_CONTAINER = 3

/**
 * Judges the `messages` of a request as LINE does; undefined when it would send them. Faults inside a Flex container
 * come alone, with the message's number in front and places as pointers into the container.
 */
export function faultsOfMessages(messages: unknown): Refused | undefined {
  const faults = faultsOf(Messages, messages).map(({ message, path }) => ({
    message,
    path: ['messages', ...path],
  }))
  if (faults.length === 0) return undefined
  const outside = faults.filter(({ path }) => !isInFlex(messages, path))
  if (outside.length > 0)
    return errors(outside.map(({ message, path }) => ({ message, property: dotted(path) })))
  const number = faults[0]?.path[1]
  return {
    message: `A message (messages[${number}]) in the request body is invalid`,
    details: faults
      .filter(({ path }) => path[1] === number)
      .map(({ message, path }) => ({ message, property: pointer(path.slice(STEPS_TO_CONTAINER)) })),
  }
}

/** The sentence over a list of faults. */
export const errors = (details: Detail[]): Refused => ({
  message: `The request body has ${details.length} error(s)`,
  details,
})

function isInFlex(messages: unknown, path: readonly (string | number)[]): boolean {
  const [, number, property] = path
  const message: unknown =
    Array.isArray(messages) && typeof number === 'number' ? messages[number] : undefined
  return property === 'contents' && isRecord(message) && message.type === 'flex'
}

import { normaliseKeys } from '@palanquin/domain/payload'
import { Refusal } from './refusal.ts'

/** `body.length` past which a service refuses; the gateway's limit is 102,400, this is the backstop. */
export const BODY_BYTES_MAX = 1_048_576

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/**
 * Parses the bytes of a JSON request body: UTF-8, an object at the top.
 * @throws Refusal `invalid` with a sentence when it is none of that
 */
export function parseJsonObject(bytes: ArrayBuffer | Uint8Array): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(decoder.decode(bytes))
  } catch {
    throw new Refusal('invalid', 'The body is not valid JSON in UTF-8.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('invalid', 'The body must be a JSON object.')
  return value as Record<string, unknown>
}

/** parseJsonObject, then camelCase keys and the aliases of clients in the field; bounded depth, no control characters. */
export function readJsonBody(bytes: ArrayBuffer | Uint8Array): Record<string, unknown> {
  const outcome = normaliseKeys(parseJsonObject(bytes))
  if ('problem' in outcome) throw new Refusal('invalid', outcome.problem)
  return outcome.value as Record<string, unknown>
}

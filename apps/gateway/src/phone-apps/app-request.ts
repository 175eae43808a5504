import { boundJson, KEYS_PER_OBJECT_MAX, NOT_JSON } from '@palanquin/domain/payload'
import type { AppRequest } from '@palanquin/domain/phone-apps/request'
import { ApiError } from '@palanquin/service/http/api-error'
import { isForm } from '../middleware/content.ts'

/** Overland's largest batch has 1,000 points of some 20 keys; five times as many cost some 6 ms of processor. */
const JSON_LIMITS = { keysMax: 50_000, itemsMax: 5_000, containersMax: 50_000 }

const compressed = new ApiError(
  'invalid',
  'A compressed request body is not accepted; please send it as it is.',
)
const tooManyFields = new ApiError('invalid', `expected at most ${KEYS_PER_OBJECT_MAX} fields`)

/** A broken character, in the name of a network perhaps, costs no point. */
const decoder = new TextDecoder('utf-8')

/**
 * What an app sent: the fields of its query and its form, and its JSON. `json` is null for a body that cannot be read: it
 * is invalid, and never will be valid. An ApiError for what no app sends: compressed, too deep, too many keys.
 */
export async function readAppRequest(request: Request, bytes: ArrayBuffer): Promise<AppRequest | ApiError> {
  const encoding = request.headers.get('content-encoding')
  if (encoding && encoding.toLowerCase() !== 'identity') return compressed
  const fields = new Map<string, string>()
  if (!addFields(fields, queryOf(request.url))) return tooManyFields
  if (bytes.byteLength === 0) return { fields, json: undefined }
  const type = request.headers.get('content-type') ?? ''
  if (isForm(type)) return readMultipart(fields, bytes, type)
  const text = decoder.decode(bytes)
  if (/^\s*[{[]/.test(text)) return readJson(fields, text)
  if (text.trim() === '') return { fields, json: undefined }
  if (!looksLikeForm(text, type)) return { fields, json: null }
  return addFields(fields, text.trim()) ? { fields, json: undefined } : tooManyFields
}

/** The query as it was sent; a `#` never is. */
const queryOf = (url: string): string => {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at + 1)
}

/** The fields of a query alone. */
export function queryFields(url: string): ReadonlyMap<string, string> | undefined {
  const fields = new Map<string, string>()
  return addFields(fields, queryOf(url)) ? fields : undefined
}

/** Adds fields that are not there yet; false where there are too many. */
function addFields(fields: Map<string, string>, encoded: string): boolean {
  if (encoded.split('&', KEYS_PER_OBJECT_MAX + 1).length > KEYS_PER_OBJECT_MAX) return false
  for (const [name, value] of new URLSearchParams(encoded)) if (!fields.has(name)) fields.set(name, value)
  return true
}

/** GPSLogger sends no type, and some send `text/plain`. */
const looksLikeForm = (text: string, type: string): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(type) || /^[\w.[\]%+-]{1,64}=/.test(text)

/** JSON, whatever the type says. */
function readJson(fields: AppRequest['fields'], text: string): AppRequest | ApiError {
  const bounded = boundJson(text, JSON_LIMITS)
  if ('problem' in bounded)
    return bounded.problem === NOT_JSON ? { fields, json: null } : new ApiError('invalid', bounded.problem)
  return { fields, json: parsed(bounded.text) }
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return null // no JSON: counted as invalid
  }
}

/** The texts of a form with files, such as µlogger's pictures, which are dropped. */
async function readMultipart(
  fields: Map<string, string>,
  bytes: ArrayBuffer,
  type: string,
): Promise<AppRequest> {
  try {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    for (const [name, value] of form)
      if (typeof value === 'string' && !fields.has(name)) fields.set(name, value)
    return { fields, json: undefined }
  } catch {
    return { fields, json: null } // Bun's parser says no more than that it is no form
  }
}

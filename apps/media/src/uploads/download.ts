import { ApiError } from '@palanquin/service/http/api-error'
import { matchesEtag } from '@palanquin/service/http/etag'
import type { Log } from '@palanquin/service/log'
import type { Screenshots } from './upload.ts'

/** The parameter of the path, decoded once: a generated name and `.png`. */
const NAME = /^([A-Za-z0-9_-]{1,64})\.png$/
/** The content under a name never changes; a day, and in no shared cache, because a participant may be erased. */
const CACHE_CONTROL = 'private, max-age=86400, immutable'

const HEADERS = {
  'content-type': 'image/png',
  'cache-control': CACHE_CONTROL,
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'",
}

const unknown = new ApiError('notFound', 'There is no picture of this name.')

/**
 * A screenshot by the name in its address. The row decides which object it is, never the request.
 * @throws StoreUnavailable
 */
export async function showScreenshot(
  { store, objects, log }: Pick<Screenshots, 'store' | 'objects'> & { log: Log },
  file: string,
  ifNoneMatch: string | null,
): Promise<Response | ApiError> {
  const [, filename] = NAME.exec(file) ?? []
  const objectKey = filename === undefined ? null : await store.objectKeyOf(filename)
  if (objectKey === null) return unknown
  const headers = { ...HEADERS, etag: `"${filename}"` }
  if (matchesEtag(ifNoneMatch, headers.etag)) return new Response(null, { status: 304, headers })
  const object = await objects.get(objectKey)
  if (object) return new Response(object.bytes, { headers })
  log.error({ event: 'screenshot.object_lost', objectKey }, 'The object of a screenshot is missing')
  return unknown
}

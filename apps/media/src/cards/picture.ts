import { matchesEtag } from '@palanquin/service/http/etag'
import { fileParams } from '@palanquin/service/http/file-params'
import type { StandardSchema } from '@palanquin/service/http/standard-schema'
import Type, { type Static, type TObject } from 'typebox'
import type { Card } from './cache.ts'
import { CARD_CACHING, CARD_TYPE } from './save-card.ts'

/** OpenAPI 3.1, "Considerations for file uploads": bytes as they are. */
export const Png = Type.Unsafe<Uint8Array>({ type: 'string', contentMediaType: CARD_TYPE })

/** Parameters of a path whose last part is such as `{userId}.png`. */
export const pictureParams = <S extends TObject>(schema: S): StandardSchema<Static<S>> =>
  fileParams(schema, '.png')

/** The picture, or 304 where the caller has it. */
export function pictureResponse({ etag, png }: Card, request: Request): Response {
  const headers = { etag, 'cache-control': CARD_CACHING }
  return matchesEtag(request.headers.get('if-none-match'), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(png, { headers: { ...headers, 'content-type': CARD_TYPE } })
}

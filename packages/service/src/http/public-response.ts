import { etagOf } from './etag.ts'

/** From this age on a cache may answer with old bytes while it asks for new ones (web face, section 4). */
const STALE_WHILE_REVALIDATE_FROM_S = 30

/** A body that is the same for every client, with its validator and how long any cache may keep it. */
export type PublicBody = { text: string; etag: string }

export const publicBody = (text: string): PublicBody => ({ text, etag: etagOf(text) })

/** The response of a public read. @param maxAgeS seconds that a cache may keep it */
export function publicResponse(
  { text, etag }: PublicBody,
  { maxAgeS, contentType = 'application/json; charset=utf-8' }: { maxAgeS: number; contentType?: string },
): Response {
  const stale =
    maxAgeS >= STALE_WHILE_REVALIDATE_FROM_S
      ? `, stale-while-revalidate=${STALE_WHILE_REVALIDATE_FROM_S}`
      : ''
  return new Response(text, {
    headers: { 'content-type': contentType, 'cache-control': `public, max-age=${maxAgeS}${stale}`, etag },
  })
}

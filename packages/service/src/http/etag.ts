/** A strong entity tag: other bytes have another. */
export const etagOf = (bytes: string | Uint8Array): string =>
  `"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 27)}"`

/** Whether If-None-Match holds a tag: a list of them, weak or not, or a star (RFC 9110, 13.1.2). */
export const matchesEtag = (ifNoneMatch: string | null, etag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((one) => ['*', etag].includes(one.trim().replace(/^W\//, '')))

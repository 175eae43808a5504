import { createHash, randomBytes, randomUUID } from 'node:crypto'

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const ULID_TIME_LENGTH = 10
const ULID_RANDOM_LENGTH = 16

/** What LINE names an event by: 48 bits of time and 80 of chance, sortable. */
export function newUlid(atMs: number): string {
  let rest = Math.floor(atMs)
  let time = ''
  for (let digit = 0; digit < ULID_TIME_LENGTH; digit++) {
    time = CROCKFORD.charAt(rest % 32) + time
    rest = Math.floor(rest / 32)
  }
  return time + [...randomBytes(ULID_RANDOM_LENGTH)].map((byte) => CROCKFORD.charAt(byte % 32)).join('')
}

export const newRequestId = (): string => randomUUID()
export const newToken = (): string => randomBytes(16).toString('hex')
export const newQuoteToken = (): string => randomBytes(24).toString('base64url')

let latest = 0n
/** Message ids are decimal numbers beyond what a double holds. */
export function newMessageId(): string {
  const fromTime = BigInt(Date.now()) * 100_000n
  latest = fromTime > latest ? fromTime : latest + 1n
  return String(latest)
}

/** The same id for the same name, in the manner of LINE. */
export const idOf = (kind: 'U' | 'C' | 'R', name: string): string =>
  kind + createHash('sha256').update(`${kind}:${name}`).digest('hex').slice(0, 32)

export const isUserId = (id: string): boolean => /^U[0-9a-f]{32}$/.test(id)
export const isChatId = (id: string): boolean => /^[UCR][0-9a-f]{32}$/.test(id)

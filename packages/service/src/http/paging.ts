import { createHash } from 'node:crypto'
import { Nullable } from '@palanquin/domain/optional'
import Type, { type Static, type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { ApiError } from './api-error.ts'

/** Contract section 1: how many items a page has, if nothing is said and at most. */
export const PAGE_ITEMS_DEFAULT = 100
const PAGE_ITEMS_MAX = 1000

/** More than any position needs: the longest holds a name of a hundred characters. */
const CURSOR_CHARACTERS_MAX = 4096
/** A checksum: finds a damaged cursor, and one of another list. It is no secret. */
const CHECK_CHARACTERS = 8

/** The query of every list; spread it into the properties of a route's `query`. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_ITEMS_MAX,
      description: `a whole number between 1 and ${PAGE_ITEMS_MAX}; ${PAGE_ITEMS_DEFAULT} if left out`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: CURSOR_CHARACTERS_MAX, description: 'a nextCursor of this list' }),
  ),
}

export const PageOf = <Item extends TSchema>(item: Item) =>
  Type.Object({
    items: Type.Array(item, { description: 'this page' }),
    nextCursor: Nullable(Type.String(), 'where the next page begins; null at the end'),
    total: Type.Integer({ minimum: 0, description: 'all items that match, on every page' }),
  })

export type Page<Item> = { items: Item[]; nextCursor: string | null; total: number }

const wrongCursor = new ApiError(
  'invalid',
  'cursor: expected the nextCursor of an earlier page of this very list; leave it out to start over',
)

/** Cursors of one list: opaque texts with the sort key of a page's last item; `list` tells them apart. */
export function cursorsOf<Position extends TSchema>(list: string, position: Position) {
  const positions = Compile(position)
  const check = (body: string) =>
    createHash('sha256').update(`${list}\n${body}`).digest('base64url').slice(0, CHECK_CHARACTERS)
  return {
    encode: (at: Static<Position>): string => {
      const body = Buffer.from(JSON.stringify(at)).toString('base64url')
      return check(body) + body
    },
    /** The position of a cursor; null where none was given, an ApiError for any that is not of this list. */
    decode: (cursor: string | undefined): Static<Position> | null | ApiError => {
      if (cursor === undefined) return null
      const body = cursor.slice(CHECK_CHARACTERS)
      if (cursor.slice(0, CHECK_CHARACTERS) !== check(body)) return wrongCursor
      const value = parsed(body)
      return positions.Check(value) ? value : wrongCursor
    },
  }
}

/** A page out of `limit + 1` rows: the one too many says that there is a next page. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  {
    limit,
    total,
    item,
    cursor,
  }: { limit: number; total: number; item: (row: Row) => Item; cursor: (last: Row) => string },
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    items: shown.map(item),
    nextCursor: last !== undefined && rows.length > limit ? cursor(last) : null,
    total,
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(Buffer.from(body, 'base64url').toString())
  } catch {
    return undefined
  }
}

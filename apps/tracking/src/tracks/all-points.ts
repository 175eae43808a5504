import type { Database } from '@palanquin/db/client'
import { UserId } from '@palanquin/domain/ids'
import { toIso } from '@palanquin/domain/time'
import { ApiError } from '@palanquin/service/http/api-error'
import { text } from '@palanquin/service/http/standard-schema'
import { textStream } from '@palanquin/service/http/text-stream'
import type { Log } from '@palanquin/service/log'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { createDocumentQueue } from '../bounded-queue.ts'
import { type ReadBuffered, withBuffered } from './buffered.ts'
import { type KeptPoint, storedPoints } from './store.ts'

/** Each takes some tenths of a second of a long walk, and as long as its reader. */
const CONCURRENCY = 2
const OPEN_MAX = 32

type Options = { db: Database; readBuffered: ReadBuffered; log: Log }

/**
 * Every point that is kept of a participant, with all of its fields, as a JSON array: for the engagement service, which puts
 * the export together. `carriesBeacon`: sent while the device carried a beacon, so it is in no figure.
 */
export const allPointsRoute = ({ db, readBuffered, log }: Options) => {
  const queue = createDocumentQueue({
    concurrency: CONCURRENCY,
    openMax: OPEN_MAX,
    busyMessage: 'Too many exports are being made right now; please try again in a moment.',
  })
  return new Elysia({ name: 'all points' }).get(
    '/internal/points/:userId',
    async ({ params: { userId }, query: { kind } }) => {
      const isWanted = (point: Exported) => kind === undefined || point.kind === kind
      const texts = queue.open(jsonArray(allPoints({ db, readBuffered }, userId), isWanted))
      if (texts instanceof ApiError) return texts
      return textStream(texts, {
        headers: { 'content-type': 'application/json; charset=utf-8' },
        log,
      })
    },
    {
      params: text(Type.Object({ userId: UserId })),
      query: text(Type.Object({ kind: Type.Optional(Type.Literal('checkin')) })),
      detail: { hide: true },
    },
  )
}

type Exported = KeptPoint & { carriesBeacon: boolean }

async function* allPoints(
  { db, readBuffered }: Pick<Options, 'db' | 'readBuffered'>,
  userId: string,
): AsyncGenerator<Exported[]> {
  // Before PostgreSQL, so that a flush in between loses nothing.
  const buffered = await readBuffered(userId)
  for await (const page of withBuffered(storedPoints(db, { userId }), buffered))
    yield page.map((point) => ({ ...point, carriesBeacon: false }))
  for await (const page of storedPoints(db, { userId, table: 'carried_points' }))
    yield page.map((point) => ({ ...point, carriesBeacon: true }))
}

async function* jsonArray(
  pages: AsyncIterable<Exported[]>,
  isWanted: (point: Exported) => boolean,
): AsyncGenerator<string> {
  let separator = '['
  for await (const page of pages) {
    let chunk = ''
    for (const point of page.filter(isWanted)) {
      const { recordedAt, receivedAt, battery = null, ...fields } = point
      chunk += `${separator}${JSON.stringify({ recordedAt: toIso(recordedAt), receivedAt: toIso(receivedAt), ...fields, battery })}`
      separator = ','
    }
    if (chunk !== '') yield chunk
  }
  yield separator === '[' ? '[]' : ']'
}

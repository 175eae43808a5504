import { Nullable } from '@palanquin/domain/optional'
import { Iso } from '@palanquin/domain/time'
import { FORMATS } from '@palanquin/recordings/recording'
import { UNREADABLE_CODES } from '@palanquin/recordings/unreadable'
import Type, { type Static } from 'typebox'

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** What became of the points of a file; `points` is the sum of the others, once it is done. */
export const Report = Type.Object({
  format: Nullable(
    Type.Enum([...FORMATS], { description: 'by the content of the file' }),
    'null until it is read',
  ),
  points: count('points in the file'),
  stored: count('points that were taken'),
  duplicates: count('points that were there already; they count once'),
  tooOld: count('points of more than 30 days ago, or of before the activity'),
  invalid: count('points that cannot be taken: `reasons` says why'),
  reasons: Type.Object(
    {
      noTime: count('without a time'),
      noPlace: count('without a place on Earth'),
      future: count('of more than 5 minutes ahead'),
      outOfRange: count('with a measurement that no phone makes'),
    },
    { description: 'of `invalid`' },
  ),
  from: Nullable(Iso, 'the time of the earliest point of the file; null without any'),
  to: Nullable(Iso, 'the time of the latest'),
  incomplete: Type.Boolean({ description: 'the file breaks off: it was read up to there' }),
})
export type Report = Static<typeof Report>

/** `not_taken`: paused, over or withdrawn; `send_again`: the file is gone; `spent_today`: the day's budget. */
export const IMPORT_ERRORS = [...UNREADABLE_CODES, 'not_taken', 'send_again', 'spent_today'] as const
export type ImportErrorCode = (typeof IMPORT_ERRORS)[number]
export type ImportError = { code: ImportErrorCode; sentence: string }

export const STATUSES = ['queued', 'running', 'done', 'failed'] as const
export const ImportId = Type.String({ format: 'uuid', description: 'the id of an import' })

export const ImportState = Type.Object({
  importId: ImportId,
  status: Type.Enum([...STATUSES], { description: 'queued, running, done or failed' }),
  ...Report.properties,
  error: Nullable(Type.String({ description: 'a sentence: why it failed' }), 'null unless it failed'),
  errorCode: Nullable(
    Type.Enum([...IMPORT_ERRORS], { description: 'the same for programs' }),
    'null unless it failed',
  ),
})
export type ImportState = Static<typeof ImportState>

/** Before anything was read. */
export const NOTHING_READ: Report = {
  format: null,
  points: 0,
  stored: 0,
  duplicates: 0,
  tooOld: 0,
  invalid: 0,
  reasons: { noTime: 0, noPlace: 0, future: 0, outOfRange: 0 },
  from: null,
  to: null,
  incomplete: false,
}

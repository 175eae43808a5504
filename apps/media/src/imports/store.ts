import type { Database } from '@palanquin/db/client'
import { Nullable } from '@palanquin/db/rows'
import { unlessErased } from '@palanquin/db/unless-erased'
import type { Receipt } from '@palanquin/service/erasure-token'
import Type, { type Static } from 'typebox'
import { IMPORT_ERRORS, type ImportError, NOTHING_READ, Report, STATUSES } from './report.ts'

/** Other processes take an import up whose process has been silent for so long; points that two send count once. */
const LEASE_S = 8
/** The report is of use while somebody looks at the page. */
const KEPT_DAYS = 7
const OPEN = `status IN ('queued', 'running')`

const ADD = `
INSERT INTO media.imports (id, user_id, object_key, report, bytes)
SELECT $1::text::uuid, $2, $3, $4::text::jsonb, $5::int WHERE ${unlessErased('$6')}
ON CONFLICT (user_id) WHERE ${OPEN} DO NOTHING RETURNING id::text AS id`
const Added = Type.Object({ id: Type.String() })

const OPEN_COUNTS = `
SELECT coalesce(sum(bytes), 0)::float8 AS bytes, (count(*) FILTER (WHERE user_id = $1))::int AS own
  FROM media.imports WHERE ${OPEN}`
const OpenCounts = Type.Object({ bytes: Type.Number(), own: Type.Integer() })

/** The code of an error is kept in the report. */
const READ = `
SELECT id::text AS id, status, report - 'errorCode' AS report, error, report ->> 'errorCode' AS "errorCode" FROM media.imports WHERE id = $1::text::uuid AND user_id = $2`
const Stored = Type.Object({
  id: Type.String(),
  status: Type.Enum([...STATUSES]),
  report: Report,
  error: Nullable(Type.String()),
  errorCode: Nullable(Type.Enum([...IMPORT_ERRORS])),
})

/** Whoever had the fewest points read within a day comes first, and of their files the small ones. */
const CLAIM = `
WITH spent AS (
  SELECT user_id, sum(handled)::int AS points, sum(processor_ms)::int AS processor_ms FROM media.imports
   WHERE created_at > now() - interval '1 day' AND user_id IN (SELECT user_id FROM media.imports WHERE ${OPEN})
   GROUP BY user_id
), next AS (
  SELECT i.id, coalesce(points, 0) AS points, coalesce(spent.processor_ms, 0) AS processor_ms
    FROM media.imports AS i LEFT JOIN spent USING (user_id) WHERE ${OPEN} AND leased_until < now()
   ORDER BY coalesce(points, 0), bytes, created_at LIMIT 1 FOR UPDATE OF i SKIP LOCKED
)
UPDATE media.imports AS i
   SET status = 'running', tries = tries + 1, leased_until = now() + make_interval(secs => ${LEASE_S})
  FROM next WHERE i.id = next.id
RETURNING i.id::text AS id, user_id AS "userId", object_key AS "objectKey", report, handled, tries,
  next.points AS "spentPoints", next.processor_ms AS "spentProcessorMs",
  (extract(epoch FROM i.created_at) * 1000)::bigint::float8 AS "receivedAt"`
const Claimed = Type.Object({
  id: Type.String(),
  userId: Type.String(),
  objectKey: Type.String(),
  report: Report,
  handled: Type.Integer(),
  tries: Type.Integer(),
  /** Of all files of the person within a day, this one's earlier turns among them. */
  spentPoints: Type.Integer(),
  spentProcessorMs: Type.Integer(),
  /** Epoch ms. */
  receivedAt: Type.Number(),
})
export type Claimed = Static<typeof Claimed>

/** The person may have been joined to another, or erased, meanwhile. */
const KEEP = `
UPDATE media.imports SET report = $2::text::jsonb, handled = $3, leased_until = now() + make_interval(secs => ${LEASE_S})
 WHERE id = $1::text::uuid AND status = 'running' RETURNING user_id AS "userId"`
const Kept = Type.Object({ userId: Type.String() })

/** Whether anybody else's file could be read now. */
const OTHERS_WAIT = `
SELECT EXISTS (SELECT FROM media.imports WHERE ${OPEN} AND leased_until < now() AND user_id <> $1) AS waits`
const OthersWait = Type.Object({ waits: Type.Boolean() })

const SPEND = 'UPDATE media.imports SET processor_ms = processor_ms + $2::int WHERE id = $1::text::uuid'

const FINISH = `
WITH finished AS (
  UPDATE media.imports SET status = $2, error = $3, report = $4::text::jsonb, finished_at = now()
   WHERE id = $1::text::uuid AND ${OPEN} RETURNING object_key
)
INSERT INTO media.discarded_objects (object_key) SELECT object_key FROM finished ON CONFLICT DO NOTHING`

const RELEASE = `
UPDATE media.imports SET leased_until = now() + make_interval(secs => $2), tries = tries - 1
 WHERE id = $1::text::uuid AND status = 'running'`

const FORGET = `DELETE FROM media.imports WHERE finished_at < now() - make_interval(days => ${KEPT_DAYS})`

/** Imports and their reports. Ids must be UUIDs. All throw StoreUnavailable. */
export const importStore = (db: Pick<Database, 'query' | 'queryAs'>) => ({
  /** After the object is stored. False where the person has an import under way, or was erased. */
  add: async ({
    id,
    userId,
    objectKey,
    bytes,
    receipt,
  }: {
    id: string
    userId: string
    objectKey: string
    bytes: number
    receipt: Receipt
  }): Promise<boolean> =>
    (await db.queryAs(Added, ADD, [id, userId, objectKey, JSON.stringify(NOTHING_READ), bytes, receipt]))
      .length > 0,
  /** How many bytes wait or are read, and how many imports of the person. */
  open: async (userId: string): Promise<Static<typeof OpenCounts>> =>
    (await db.queryAs(OpenCounts, OPEN_COUNTS, [userId]))[0] ?? { bytes: 0, own: 0 },
  /** The caller's own import; null for an unknown id. */
  read: async (userId: string, id: string): Promise<Static<typeof Stored> | null> =>
    (await db.queryAs(Stored, READ, [id, userId]))[0] ?? null,
  /** Whose turn it is; null where no file waits. */
  claim: async (): Promise<Claimed | null> => (await db.queryAs(Claimed, CLAIM))[0] ?? null,
  /** Keeps what was done, and the lease. @returns whose it is now; null where it is gone */
  keep: async (
    id: string,
    { report, handled }: Pick<Claimed, 'report' | 'handled'>,
  ): Promise<string | null> =>
    (await db.queryAs(Kept, KEEP, [id, JSON.stringify(report), handled]))[0]?.userId ?? null,
  /** Whether somebody else waits for their turn. */
  othersWait: async (userId: string): Promise<boolean> =>
    (await db.queryAs(OthersWait, OTHERS_WAIT, [userId]))[0]?.waits ?? false,
  /** Counts processor time that reading it took. */
  spend: async (id: string, processorMs: number): Promise<void> => {
    await db.query(SPEND, [id, Math.round(processorMs)])
  },
  /** The file is discarded with it. */
  finish: async (
    id: string,
    { report, error }: { report: Report; error: ImportError | null },
  ): Promise<void> => {
    const kept = error === null ? report : { ...report, errorCode: error.code }
    await db.query(FINISH, [
      id,
      error === null ? 'done' : 'failed',
      error?.sentence ?? null,
      JSON.stringify(kept),
    ])
  },
  /** Leaves it to the process that claims it after the pause. */
  release: async (id: string, pauseS: number): Promise<void> => {
    await db.query(RELEASE, [id, pauseS])
  },
  forgetOld: async (): Promise<void> => {
    await db.query(FORGET)
  },
})

export type ImportStore = ReturnType<typeof importStore>

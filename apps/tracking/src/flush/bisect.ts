import { type BufferedPoint, decodeEntry, type SetAside, WHOLE_ENTRY } from '../buffer/decode.ts'
import type { Entry } from '../buffer/read.ts'
import { type BatchContext, type BatchOutcome, storePoints, storeWhole, type Work } from './batch.ts'

/**
 * Stores entries, all of them: what PostgreSQL refuses as data is found by halving, down to the one point, which is
 * set aside. Null when another flusher was faster. `onStored` runs after each statement that took effect. The cursor moves with
 * the last of them.
 * @throws StoreUnavailable when PostgreSQL is away
 */
export async function storeEntries(
  context: BatchContext,
  work: Work,
  onStored: (outcome: BatchOutcome) => void,
): Promise<BatchOutcome | null> {
  try {
    const outcome = await storeWhole(context, work)
    if (outcome) onStored(outcome)
    return outcome
  } catch (error) {
    if (!isDataError(error)) throw error
    context.partitions.forget()
    return await storeParts(context, work, { error, onStored })
  }
}

async function storeParts(
  context: BatchContext,
  work: Work,
  { error, onStored }: { error: Error; onStored: Parameters<typeof storeEntries>[2] },
): Promise<BatchOutcome | null> {
  const { entries } = work
  const [only] = entries
  if (entries.length === 1 && only) {
    const outcome = await storeOne(context, work, { entry: only, error })
    if (outcome) onStored(outcome)
    return outcome
  }
  const middle = Math.ceil(entries.length / 2)
  const head = { ...work, cursor: work.before, entries: entries.slice(0, middle) }
  const first = await storeEntries(context, head, onStored)
  if (!first) return null
  const rest = { ...work, version: first.version, entries: entries.slice(middle) }
  const second = await storeEntries(context, rest, onStored)
  return second && sum(first, second)
}

const sum = (first: BatchOutcome, second: BatchOutcome): BatchOutcome => ({
  version: second.version,
  inserted: first.inserted + second.inserted,
  late: first.late + second.late,
  points: first.points + second.points,
  setAside: first.setAside + second.setAside,
})

/**
 * A single entry that was refused: once more (retention may have dropped the partition of a day), then point by point.
 * The phone has the answer that all of a sync is kept, so one point that cannot be stored takes no other with it.
 */
async function storeOne(
  context: BatchContext,
  work: Work,
  { entry, error }: { entry: Entry; error: Error },
): Promise<BatchOutcome | null> {
  try {
    return await storeWhole(context, work)
  } catch (again) {
    if (!isDataError(again)) throw again
    const { points, setAside } = decodeEntry(entry, work.shard)
    if (points.length > 1) return await storeHalves(context, work, { entry, points, setAside })
    const whole = { entry, position: WHOLE_ENTRY, reason: `PostgreSQL: ${error.message}` }
    return await storePoints(context, { ...work, points: [], setAside: [whole] })
  }
}

type Some = { entry: Entry; points: readonly BufferedPoint[]; setAside: readonly SetAside[] }

/** The points of one refused entry. Only its confirmation removes it: after a crash in between it is read again. */
async function storeHalves(
  context: BatchContext,
  work: Work,
  { entry, points, setAside }: Some,
): Promise<BatchOutcome | null> {
  const middle = Math.ceil(points.length / 2)
  const head = { ...work, cursor: work.before }
  const first = await storeSome(context, head, { entry, points: points.slice(0, middle), setAside })
  if (!first) return null
  const rest = { entry, points: points.slice(middle), setAside: [] }
  const second = await storeSome(context, { ...work, version: first.version }, rest)
  return second && sum(first, second)
}

async function storeSome(context: BatchContext, work: Work, some: Some): Promise<BatchOutcome | null> {
  const { entry, points, setAside } = some
  try {
    return await storePoints(context, { ...work, points, setAside })
  } catch (error) {
    if (!isDataError(error)) throw error
    if (points.length > 1) return await storeHalves(context, work, some)
    const [only] = points
    if (!only) throw error
    const refused = { entry, position: only.position, reason: `PostgreSQL: ${error.message}` }
    return await storePoints(context, { ...work, points: [], setAside: [...setAside, refused] })
  }
}

/** SQLSTATE classes 22 (data exception) and 23 (integrity constraint): the data's fault, not the server's. */
const isDataError = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^2[23]\w{3}$/.test(error.code)

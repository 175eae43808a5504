import { fileURLToPath } from 'node:url'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import { counter, type Metrics } from '@palanquin/service/metrics'
import type { Part } from '@palanquin/service/run'
import { createWorkerPool, type Outcome, type PoolLimits } from '../worker-pool/pool.ts'
import { startProcess } from '../worker-pool/worker.ts'
import { formatOf, type ImageTarget, NOT_AN_IMAGE, type Sanitized, UNREADABLE } from './image.ts'

export type SanitizeTask = { bytes: Uint8Array; target: ImageTarget }
/** `processorMs` of all threads of the process. */
export type SanitizeReply = { sanitized: Sanitized; rssBytes: number; processorMs: number }

const LIMITS: PoolLimits = {
  /** Each keeps one core busy and holds up to 300 MB. */
  workersMax: 2,
  idleMs: 30_000,
  waitingMax: 32,
  waitMsMax: 3_000,
  /** Twice what the slowest image takes on an idle core, and below the gateway's ten seconds. */
  deadlineMs: 5_000,
  /** The first image of a process waits for its start and libvips: up to seconds on a busy machine. */
  firstDeadlineMs: 9_000,
}
/** A process that has grown, or has read many files, is replaced. */
const RUNS_PER_PROCESS = 500
const RSS_BYTES_MAX = 400_000_000
const SCRIPT = fileURLToPath(new URL('./process.ts', import.meta.url))
/** glibc keeps a heap for each of libvips's threads, and seldom frees any. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' }

/** Who sent an image, and the callback that learns its cost. */
export type Sender = {
  /** The address by which workers are shared out. */
  client: string
  /** Processor time of the decoding, called once before the outcome. */
  onDecoded: (processorMs: number) => void
}

export type Sanitizer = Part & {
  /** The image, a sentence for the sender (400), or an error (503) when no process is free in time. */
  sanitize: (bytes: Uint8Array, target: ImageTarget, sender?: Sender) => Promise<Sanitized | ApiError>
  /** Processes that run now. */
  readonly pids: readonly number[]
}

export type SanitizerOptions = Partial<PoolLimits> & {
  log: Log
  metrics?: Metrics
  /** What the processes run; tests have one that misbehaves. */
  script?: string
}

const busy = new ApiError('unavailable', 'Many pictures arrive right now. Please try again in a moment.', {
  'retry-after': '2',
})
const late = new ApiError(
  'unavailable',
  'This picture took too long to read. Please try again, or send a smaller one.',
)

/** Sanitizes images in processes of their own; bytes of no known format never reach one. */
export function createSanitizer({ log, metrics, script = SCRIPT, ...limits }: SanitizerOptions): Sanitizer {
  const counted = metrics && outcomesOf(metrics)
  const pool = createWorkerPool<SanitizeTask, SanitizeReply>({
    ...LIMITS,
    ...limits,
    start: () => startProcess(script, ENVIRONMENT),
    isRetried: (failure) => failure === 'crashed',
    isWornOut: ({ rssBytes }, runs) => rssBytes > RSS_BYTES_MAX || runs >= RUNS_PER_PROCESS,
    onFailure: ({ failure, reason, tries, pid }) =>
      log.warn(
        { event: 'image_process.ended', worker: pid, failure, reason, tries },
        'An image ended the process that read it',
      ),
  })
  const queued = async (task: SanitizeTask, sender: Sender | undefined): Promise<Sanitized | ApiError> => {
    const outcome = await pool.run(() => task, { client: sender?.client })
    // A process that was ended cannot report its processor time; it was busy all the time.
    if (outcome.tries > 0)
      sender?.onDecoded(outcome.failedMs + ('reply' in outcome ? outcome.reply.processorMs : 0))
    return resultOf(outcome)
  }

  return {
    name: 'image sanitizer',
    sanitize: async (bytes, target, sender) => {
      const isImage = formatOf(bytes) !== null
      const result = isImage ? await queued({ bytes, target }, sender) : { refused: NOT_AN_IMAGE }
      counted?.inc({
        outcome: result instanceof ApiError ? 'busy' : 'image' in result ? 'cleaned' : 'refused',
      })
      return result
    },
    get pids() {
      return pool.workers.pids
    },
    stop: pool.stop,
  }
}

function resultOf(outcome: Outcome<SanitizeReply>): Sanitized | ApiError {
  if ('reply' in outcome) return outcome.reply.sanitized
  switch (outcome.failure) {
    case 'crashed':
    case 'error':
      return { refused: UNREADABLE }
    case 'busy':
    case 'unstarted':
      return busy
    case 'late':
      return late
    case 'stopped':
      return outcome.tries === 0 ? busy : late
  }
}

const outcomesOf = (metrics: Metrics) =>
  counter(metrics, {
    name: 'palanquin_pictures_total',
    help: 'images that participants sent, by outcome',
    labels: { outcome: ['cleaned', 'refused', 'busy'] },
  })

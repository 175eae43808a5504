import { ApiError } from '@palanquin/service/http/api-error'
import type { CardContent } from '../content.ts'
import type { Drawn } from './thread.ts'

/** Somebody waits for a `live` card; `ahead` ones are made while nobody does. */
export type Priority = 'live' | 'ahead'

/** A card that is to be drawn, and who is to be told. */
export type Job = {
  priority: Priority
  content: CardContent
  tries: number
  /** Whether somebody still waits for it. */
  isAwaited: boolean
  resolve: (drawn: Drawn) => void
  reject: (error: Error) => void
}

const RETRY_AFTER_S = 2
const PRIORITIES = ['live', 'ahead'] as const

type Waiting = { job: Job; patience?: ReturnType<typeof setTimeout> }

/**
 * Cards that wait for a thread, so many of each priority at most. One that waits longer than `waitMsMax` is refused, also
 * when no thread gets free meanwhile: who asked for it must hear so before the gateway gives up.
 */
export function createQueue({
  waitingMax,
  waitMsMax,
  onRefused,
}: {
  waitingMax: number
  waitMsMax: number
  onRefused: () => void
}) {
  const lines: Record<Priority, Waiting[]> = { live: [], ahead: [] }

  const refuse = ({ reject }: Job) => {
    onRefused()
    reject(tooMany())
  }
  const take = (): Job | undefined => {
    for (;;) {
      const next = lines.live.shift() ?? lines.ahead.shift()
      clearTimeout(next?.patience)
      if (!next || next.job.isAwaited) return next?.job
    }
  }
  return {
    /** Refuses the card at once when there is no room. */
    add: (job: Job): void => {
      const line = lines[job.priority]
      if (line.length >= waitingMax) {
        refuse(job)
        return
      }
      const one: Waiting = { job }
      one.patience = setTimeout(() => {
        line.splice(line.indexOf(one), 1)
        refuse(job)
      }, waitMsMax)
      line.push(one)
    },
    /** Before all others of its priority: its thread failed it, and it has waited already. */
    addAgain: (job: Job): void => {
      lines[job.priority].unshift({ job })
    },
    /** Tells who waits for a card to come again. */
    refuse,
    /** The next card to draw. */
    take,
    waiting: (priority: Priority): number => lines[priority].length,
    isEmpty: (): boolean => PRIORITIES.every((priority) => lines[priority].length === 0),
    /** Takes all of them out. */
    drain: (): Job[] => {
      const jobs: Job[] = []
      for (let job = take(); job; job = take()) jobs.push(job)
      return jobs
    },
  }
}

const tooMany = () =>
  new ApiError(
    'unavailable',
    'The card is still being drawn, or others before it. Please try again in a moment.',
    {
      'retry-after': String(RETRY_AFTER_S),
    },
  )

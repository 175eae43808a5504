import { useEffect, useMemo, useState } from 'preact/hooks'
import { untilReachable } from '../api/reachable.ts'
import type { Person } from '../session/session.ts'
import { askForSync } from './background-sync.ts'
import type { SavedCheckin, StoredCheckin } from './checkin.ts'
import { createCheckinSender } from './checkin-sender.ts'
import { checkinsOf, keepCheckin } from './checkins.ts'
import type { Waiting } from './delivery.ts'
import type { TrackPoint } from './entry.ts'
import { countWaiting, outboxOf } from './outbox.ts'
import { postCheckin, postPoints } from './post.ts'
import { createSender, type SenderState } from './sender.ts'

export type OutboxState = SenderState & { waiting: number; refused: number }
export type OutboxHook = {
  state: OutboxState
  checkins: StoredCheckin[]
  /** Why check-ins wait. */
  checkinsWait: Waiting | null
  addPoint: (point: TrackPoint) => Promise<void>
  /** Keeps a check-in on the phone, then sends it. */
  addCheckin: (checkin: Omit<SavedCheckin, 'userId' | 'state'>) => Promise<void>
  /** The check-ins of this phone, those of another open page too. */
  listCheckins: () => Promise<StoredCheckin[]>
  /** Sends all that waits now; resolves when it was tried. */
  flush: () => Promise<void>
}

/** What waits on this phone of the person; sent at the start, online, when looked at, and every minute. */
export function useOutbox({ userId }: Person, onReceived: () => void): OutboxHook {
  const [state, setState] = useState<OutboxState>(EMPTY)
  const [checkins, setCheckins] = useState<StoredCheckin[]>([])
  const [checkinsWait, setCheckinsWait] = useState<Waiting | null>(null)
  const parts = useMemo(() => {
    const outbox = outboxOf(userId)
    const count = async () => {
      const counts = await outbox.count()
      setState((before) => ({ ...before, ...counts }))
    }
    const list = async () => {
      const all = await checkinsOf(userId)
      setCheckins(all)
      return all
    }
    const sender = createSender({
      outbox,
      post: (points) => postPoints(userId, points),
      onChange: (next) => {
        setState((before) => ({ ...before, ...next }))
        void count()
        if (next.deliveredAtMs !== null && !next.sending) onReceived()
      },
    })
    const checkinSender = createCheckinSender({
      all: () => checkinsOf(userId),
      save: async (checkin) => {
        await keepCheckin(checkin)
        await list()
        if (checkin.state === 'received') onReceived()
      },
      post: (checkin) => postCheckin(userId, checkin),
      onChange: setCheckinsWait,
    })
    return { outbox, count, list, sender, checkinSender }
  }, [userId])

  const flush = async () => {
    await Promise.all([parts.checkinSender.wake(), parts.sender.wake()])
    await parts.count()
  }
  // The page may be closed before there is a network again.
  const isOffline = state.why === 'offline' || checkinsWait === 'offline'
  const anyWaits = state.waiting > 0 || checkins.some((checkin) => checkin.state === 'waiting')
  useEffect(() => {
    if (anyWaits && (isOffline || !navigator.onLine)) void askForSync()
  }, [anyWaits, isOffline])
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const wake = () => {
      if (!document.hidden) return void flush()
      void countWaiting(userId).then((count) => (count > 0 ? askForSync() : undefined))
    }
    const reconnected = () => {
      void untilReachable(signal).then((reachable) => (reachable ? flush() : undefined))
    }
    const look = async () => {
      await Promise.all([parts.count(), parts.list()])
      await flush()
    }
    look().catch((error: unknown) => console.warn('This phone keeps no outbox', error))
    addEventListener('online', reconnected, { signal })
    document.addEventListener('visibilitychange', wake, { signal })
    return () => {
      controller.abort()
      parts.sender.stop()
      parts.checkinSender.stop()
    }
  }, [parts])

  return {
    state,
    checkins,
    checkinsWait,
    flush,
    listCheckins: parts.list,
    addPoint: async (point) => {
      await parts.outbox.add(point)
      await parts.count()
      parts.sender.added()
    },
    addCheckin: async (checkin) => {
      await keepCheckin({ ...checkin, userId, state: 'waiting' })
      await parts.list()
      await parts.checkinSender.wake()
    },
  }
}

const EMPTY: OutboxState = { sending: false, why: null, deliveredAtMs: null, waiting: 0, refused: 0 }

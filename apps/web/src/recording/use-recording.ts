import { useEffect, useMemo, useState } from 'preact/hooks'
import type { OutboxHook } from '../outbox/use-outbox.ts'
import type { Person } from '../session/session.ts'
import { withStore } from '../store.ts'
import type { Interruption } from './interruption.ts'
import { createRecorder, IDLE, type RecorderState } from './recorder.ts'

export type RecordingHook = {
  state: RecorderState
  /** The latest break since the page was opened: the page speaks of it until it is dismissed. */
  latest: Interruption | null
  dismiss: () => void
  /** All breaks that this phone knows of. */
  interruptions: Interruption[]
  start: () => Promise<void>
  stop: () => Promise<void>
}

/** The recording of a person. @param mayResume whether one that was on when the page was closed goes on */
export function useRecording(
  { userId }: Person,
  { addPoint, flush }: OutboxHook,
  mayResume: boolean,
): RecordingHook {
  const [state, setState] = useState<RecorderState>(IDLE)
  const [latest, setLatest] = useState<Interruption | null>(null)
  const [interruptions, setInterruptions] = useState<Interruption[]>([])
  const recorder = useMemo(
    () =>
      createRecorder({
        userId,
        add: addPoint,
        onChange: setState,
        onInterrupted: (interruption) => {
          setLatest(interruption)
          setInterruptions((before) => [...before, interruption])
        },
      }),
    [userId],
  )
  useEffect(() => {
    const look = async () =>
      setInterruptions(await withStore((db) => db.getAllFromIndex('interruptions', 'person', userId)))
    look().catch((error: unknown) => console.warn('This phone keeps no recording', error))
    return recorder.dispose
  }, [recorder])
  useEffect(() => {
    if (mayResume)
      recorder.resume().catch((error: unknown) => console.warn('A recording cannot be taken up', error))
  }, [recorder, mayResume])
  return {
    state,
    latest,
    interruptions,
    start: recorder.start,
    dismiss: () => setLatest(null),
    stop: async () => {
      await recorder.stop()
      await flush()
    },
  }
}

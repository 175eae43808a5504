import type { Log } from '@palanquin/service/log'
import type { Redis } from '@palanquin/service/redis'
import type { Part } from '@palanquin/service/run'
import { connected, createOutage, pause } from './outage.ts'

/** What a session goes by: when to end, and what to notify when Redis answers. */
export type LoopControl = { signal: AbortSignal; onProgress: () => void }

export type ConsumerLoopOptions = {
  name: string
  /** What the log calls it. */
  part: string
  clients: readonly Redis[]
  log: Log
  /** Made once; a session runs until Redis fails it or the process stops. */
  open: (control: LoopControl) => { session: () => Promise<void>; drain?: () => Promise<void> }
}

/** A part that reads a stream, session after session, with pauses while Redis is away. */
export function consumerLoop({ name, part, clients, log, open }: ConsumerLoopOptions): Part {
  const stopping = new AbortController()
  const { signal } = stopping
  const outage = createOutage(log, part)
  const { session, drain } = open({ signal, onProgress: outage.recovered })

  const loop = async () => {
    await connected(clients, signal)
    while (!signal.aborted) {
      try {
        await session()
      } catch (error) {
        await pause(outage.failed(error), signal)
      }
    }
  }

  let looping: Promise<void> | undefined
  return {
    name,
    start: () => {
      looping ??= loop()
    },
    /** Waits for the read that waits (1 s at most), and for what is being handled. */
    stop: async () => {
      stopping.abort()
      await looping
      await drain?.()
    },
  }
}

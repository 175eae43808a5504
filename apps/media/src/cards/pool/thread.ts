import type { CardContent } from '../content.ts'
import type { Scene } from '../render/pixels.ts'
import type { Delivery, Order } from './messages.ts'

/** A drawn card, as a thread delivers it. */
export type Drawn = Extract<Delivery, { png: unknown }>

/** One thread and the card that it draws; `broken` threads are not used again. */
export type Thread = {
  /** Rejects when the thread crashes, hangs or cannot draw it; the thread is then broken. */
  draw: (what: { content: CardContent; scene: Scene | undefined }, deadlineMs: number) => Promise<Drawn>
  /** Whether it has not drawn a card yet. */
  isFresh: () => boolean
  isBroken: () => boolean
  end: () => void
}

export type StartThread = () => Thread

/** Starts a thread; the libraries of the renderer are loaded in it, and nowhere else. */
export const startThread =
  (file: URL = new URL('./worker.ts', import.meta.url)): StartThread =>
  () => {
    const worker = new Worker(file)
    let current: { id: number; resolve: (drawn: Drawn) => void; reject: (error: Error) => void } | undefined
    let broken = false
    let lastId = 0

    const end = () => {
      broken = true
      worker.terminate()
      current?.reject(new Error('the thread was ended'))
      current = undefined
    }
    const fail = (reason: string) => {
      current?.reject(new Error(reason))
      current = undefined
      end()
    }
    worker.onmessage = ({ data }: MessageEvent<Delivery>) => {
      if (data.id !== current?.id) return
      const { resolve } = current
      if ('error' in data) return fail(data.error)
      current = undefined
      resolve(data)
      if (data.tired) end()
    }
    worker.onerror = (event) => fail(event.message || 'the thread crashed')
    worker.addEventListener('close', () => fail('the thread ended by itself'))

    return {
      draw: (what, deadlineMs) =>
        new Promise<Drawn>((resolve, reject) => {
          const id = ++lastId
          const timer = setTimeout(
            () => fail(`the thread did not answer within ${deadlineMs} ms`),
            deadlineMs,
          )
          const settled = <T>(settle: (value: T) => void) => {
            return (value: T) => {
              clearTimeout(timer)
              settle(value)
            }
          }
          current = { id, resolve: settled(resolve), reject: settled(reject) }
          worker.postMessage({ id, ...what } satisfies Order)
        }),
      isFresh: () => lastId === 0,
      isBroken: () => broken,
      end,
    }
  }

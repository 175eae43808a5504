import type { RenderedCard, RenderTask } from '../src/cards/render/card-pool.ts'
import type { WorkerReply } from '../src/worker-pool/worker.ts'

declare const self: Worker

/** A thread that does what the card's name says. */
self.onmessage = async ({ data: { content } }: MessageEvent<RenderTask>) => {
  const name = content.name ?? ''
  if (name === 'hang') for (;;) Bun.sleepSync(1_000)
  if (name === 'crash') process.exit(1)
  const file = /^crash once (.*)$/.exec(name)?.[1]
  if (file && !(await Bun.file(file).exists())) {
    await Bun.write(file, '')
    process.exit(1)
  }
  const waitMs = Number(/^(\d+) ms$/.exec(name)?.[1] ?? 0)
  if (waitMs > 0) await Bun.sleep(waitMs)
  const message: WorkerReply<RenderedCard> =
    name === 'throw'
      ? { error: 'cannot be rendered' }
      : {
          reply: {
            png: new Uint8Array(8),
            scene: new SharedArrayBuffer(0),
            spent: { layoutMs: 1, rasterMs: 1, encodeMs: 1 },
            isWornOut: name === 'worn out',
          },
        }
  self.postMessage(message)
}

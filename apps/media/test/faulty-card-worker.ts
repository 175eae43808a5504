import type { Delivery, Order } from '../src/cards/pool/messages.ts'

declare const self: Worker

/**
 * A thread that does what the card's name says: `crash`, `hang`, `throw`, or `crash once <file>` (until that file is
 * there); any other card is delivered as an empty picture after `<n> ms`.
 */
self.onmessage = async ({ data: { id, content } }: MessageEvent<Order>) => {
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
  const delivery: Delivery =
    name === 'throw'
      ? { id, tired: true, error: 'cannot be drawn' }
      : {
          id,
          tired: name === 'tired',
          png: new Uint8Array(8),
          scene: new SharedArrayBuffer(0),
          spent: { layoutMs: 1, rasterMs: 1, encodeMs: 1 },
        }
  self.postMessage(delivery)
}

import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { stopServerIn } from './server-folder.ts'
import type { Guarded, WardenOrder } from './warden.ts'

/** The entry of the warden's process; see `warden.ts`. */
const guarded = new Map<string, Guarded>()
const orders = createInterface({ input: process.stdin })

orders.on('line', (line) => {
  const order: WardenOrder = JSON.parse(line)
  if ('guard' in order) guarded.set(order.guard.folder, order.guard)
  else guarded.delete(order.release)
})

orders.on('close', () => {
  const ended = [...guarded.values()].map(async (server) => {
    await stopServerIn(server)
    rmSync(server.folder, { recursive: true, force: true })
  })
  Promise.allSettled(ended).then((results) => {
    for (const result of results)
      if (result.status === 'rejected') console.error('a test server could not be ended:', result.reason)
    process.exit(results.every((result) => result.status === 'fulfilled') ? 0 : 1)
  })
})

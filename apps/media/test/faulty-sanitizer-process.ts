/** Stands in for the process that sanitizes images, and misbehaves by the last byte of its input. */
import { existsSync, writeFileSync } from 'node:fs'
import type { SanitizeReply } from '../src/sanitizer/sanitizer.ts'
import type { WorkerReply } from '../src/worker-pool/worker.ts'

process.on('disconnect', () => process.exit(0))
process.on('message', ({ bytes }: { bytes: Uint8Array }) => {
  const kind = bytes.at(-1)
  const note = Buffer.from(bytes.subarray(3, -1)).toString()
  const first = kind === 3 && !existsSync(note)
  if (first) writeFileSync(note, 'once')
  if (kind === 1 || first) process.kill(process.pid, 'SIGSEGV')
  if (kind === 2) return
  const message: WorkerReply<SanitizeReply> = {
    reply: {
      sanitized: { image: { bytes: new Uint8Array(1), width: 1, height: 1 } },
      rssBytes: 1,
      processorMs: 7,
    },
  }
  process.send?.(message)
})

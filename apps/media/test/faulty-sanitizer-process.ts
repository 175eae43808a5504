/**
 * Stands in for the process that cleans pictures, and misbehaves by the last byte of what it is given: 1 dies, 2 never
 * answers, 3 dies the first time that any process is given it (it leaves a note in the folder named by the bytes before).
 */
import { existsSync, writeFileSync } from 'node:fs'

process.on('disconnect', () => process.exit(0))
process.on('message', ({ bytes }: { bytes: Uint8Array }) => {
  const kind = bytes.at(-1)
  const note = Buffer.from(bytes.subarray(3, -1)).toString()
  const first = kind === 3 && !existsSync(note)
  if (first) writeFileSync(note, 'once')
  if (kind === 1 || first) process.kill(process.pid, 'SIGSEGV')
  if (kind === 2) return
  process.send?.({
    cleaned: { picture: { bytes: new Uint8Array(1), width: 1, height: 1 } },
    rssBytes: 1,
    processorMs: 7,
  })
})

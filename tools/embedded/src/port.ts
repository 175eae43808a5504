import { createServer } from 'node:net'
import { isCode, readIfThere, writeAtomically } from './file.ts'

const HOST = '127.0.0.1'
const RETRY_MS = 50

/**
 * A free port of 127.0.0.1: the one recorded in `file` if it is still free, else a new one, recorded there.
 */
export async function keepPort(file: string): Promise<number> {
  const kept = Number(readIfThere(file))
  const free = (kept > 0 && (await tryPort(kept))) || (await tryPort(0))
  if (free === undefined) throw new Error('This machine has no free TCP port on 127.0.0.1.')
  if (free !== kept) writeAtomically(file, `${free}\n`)
  return free
}

/** Whether the port is free now or within `withinMs`: a server that ended releases it a little later. */
export async function becomesFree(port: number, withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs
  while ((await tryPort(port)) === undefined) {
    if (Date.now() > deadline) return false
    await Bun.sleep(RETRY_MS)
  }
  return true
}

/** The port that could be bound (any for 0), or undefined when it is taken. */
function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) =>
      isCode(error, 'EADDRINUSE') || isCode(error, 'EACCES') ? resolve(undefined) : reject(error),
    )
    server.listen({ port, host: HOST, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined))
    })
  })
}

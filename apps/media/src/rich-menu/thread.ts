import type { Language } from '@palanquin/domain/language'
import type { WorkerReply } from '../worker-pool/worker.ts'
import { renderMenu } from './render.ts'

declare const self: Worker

/** A second of rendering, apart from the requests. */
self.onmessage = ({ data }: MessageEvent<Language>) => {
  const post = (message: WorkerReply<Uint8Array<ArrayBuffer>>, transfer: ArrayBuffer[] = []) =>
    self.postMessage(message, transfer)
  renderMenu(data).then(
    (reply) => post({ reply }, [reply.buffer]),
    (error: unknown) => post({ error: String(error) }),
  )
}

import { document, type Problem } from './problem.ts'
import type { S3Request } from './request.ts'
import type { ObjectStore } from './store.ts'

export type Answer = { status: number; headers?: Record<string, string>; body?: Uint8Array | string }
export type Context = { request: S3Request; body: Buffer; store: ObjectStore; nowMs: number }
export type Operation = (context: Context) => Answer | Problem | Promise<Answer | Problem>

/** A complete XML response; `content` is XML already. */
export function xml(root: string, content: string): Answer {
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: document(root, content) }
}

import { randomUUID } from 'node:crypto'
import type { Objects } from '@palanquin/objects/objects'
import type { ReceiptOf } from '@palanquin/service/erasure-token'
import { ApiError } from '@palanquin/service/http/api-error'
import type { Quota } from '../uploads/quota.ts'
import type { ImportStore } from './store.ts'
import type { SendPoints } from './tracking-client.ts'

/** Files that wait: of the object store. */
const OPEN_BYTES_MAX = 5_000_000_000
/** 50 MiB, within the gateway's deadline. */
const PUT_DEADLINE_MS = 20_000
export const IMPORTS_PREFIX = 'imports/'

export type Imports = {
  store: Pick<ImportStore, 'open' | 'add'>
  objects: Pick<Objects, 'put' | 'remove'>
  quota: Quota
  send: SendPoints
  receiptOf: ReceiptOf
  /** Has the file read soon. */
  wake: () => void
}

const underWay = new ApiError(
  'conflict',
  'Another file of yours is being read right now. Please send this one when it is done.',
)
const busy = new ApiError(
  'unavailable',
  'Many files wait to be read right now. Please try again in a minute.',
  { 'retry-after': '60' },
)

/** Takes a file to be imported, durably; an ApiError where it may not be now. @throws StoreUnavailable */
export async function acceptImport(
  { store, objects, quota, send, receiptOf, wake }: Imports,
  {
    userId,
    bytes,
    client,
    receivedAt,
  }: { userId: string; bytes: Uint8Array; client: string; receivedAt: number },
): Promise<{ importId: string } | ApiError> {
  const open = await store.open(userId)
  if (open.own > 0) return underWay
  if (open.bytes + bytes.byteLength > OPEN_BYTES_MAX) return busy
  // Said at once, where it can be.
  const taken = await send(userId, [], receivedAt)
  if (taken instanceof ApiError) return taken
  const reservation = await quota.take(client)
  if (reservation instanceof ApiError) return reservation
  const id = randomUUID()
  const objectKey = `${IMPORTS_PREFIX}${id}`
  let isAdded = false
  try {
    await objects.put(objectKey, bytes, { deadlineMs: PUT_DEADLINE_MS })
    const receipt = receiptOf(userId, receivedAt)
    isAdded = await store.add({ id, userId, objectKey, bytes: bytes.byteLength, receipt })
  } finally {
    if (!isAdded) await reservation.refund()
  }
  if (!isAdded) {
    await objects.remove([objectKey])
    return underWay
  }
  wake()
  return { importId: id }
}

import { openBucket } from './bucket.ts'
import { openFolder } from './folder.ts'

export type S3Access = {
  endpoint: string
  bucket: string
  accessKeyId: string
  secretAccessKey: string
  region: string
}
/** Where objects are: in a folder of this machine, or in any S3. */
export type ObjectsAccess = S3Access | { folder: string }

export type ListedObject = { key: string; bytes: number; modifiedAtMs: number }

/** A store of objects. Every call has a deadline; all but `ping` throw StoreUnavailable. */
export type Objects = {
  /** Resolves when the store can be used; rejects with the reason when not. */
  ping: () => Promise<void>
  /** Creates the bucket or the folder where it is missing. */
  make: () => Promise<void>
  /** Stores or replaces an object, which survives a crash and a power cut once this resolves. */
  put: (key: string, bytes: Uint8Array, limits?: { deadlineMs?: number }) => Promise<void>
  /** A whole object; null when there is none. One above `bytesMax` counts as a failure. */
  get: (
    key: string,
    limits?: { bytesMax?: number; deadlineMs?: number },
  ) => Promise<Uint8Array<ArrayBuffer> | null>
  /** Deletes objects. Idempotent. */
  remove: (keys: readonly string[]) => Promise<void>
  /** All objects with the prefix in the order of their keys, page by page. */
  list: (prefix: string) => AsyncGenerator<ListedObject[]>
  close: () => void
}

/** The objects at their place; nothing is opened or connected before the first call. */
export const connectObjects = (
  access: ObjectsAccess,
  /** For tests: of a call that has no deadline of its own. */
  { deadlineMs }: { deadlineMs?: number } = {},
): Objects => ('folder' in access ? openFolder(access.folder, deadlineMs) : openBucket(access, deadlineMs))

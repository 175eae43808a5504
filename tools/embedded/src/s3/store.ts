import { Database } from 'bun:sqlite'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, syncFolder, syncFolderSoon } from '@palanquin/files/durable'

export type Location = { bucket: string; key: string }
export type StoredObject = {
  key: string
  size: number
  /** MD5 of the body in quotes. */
  etag: string
  modifiedMs: number
  /** Headers returned with the object: content-type, cache-control, x-amz-meta-… */
  headers: Record<string, string>
}
export type Page = { objects: StoredObject[]; prefixes: string[]; next: string | undefined }
export type ListQuery = { bucket: string; prefix: string; delimiter: string; after: string; limit: number }
type Row = { key: string; body: string; size: number; etag: string; modified_ms: number; headers: string }

const LAST_CHARACTER = '\u{10ffff}' // sorts after every other in UTF-8, so prefix + this is the end of the prefix

/** Objects in a folder: a SQLite database of metadata, and bodies under random names. */
export class ObjectStore {
  readonly #database: Database
  readonly #bodies: string

  constructor(folder: string) {
    this.#bodies = join(folder, 'bodies')
    makeFolder(this.#bodies, 0o700)
    this.#database = new Database(join(folder, 'objects.sqlite'))
    // exclusive: a second server on this folder would remove bodies that this one is writing
    this.#database.run('PRAGMA locking_mode = EXCLUSIVE')
    this.#database.run('PRAGMA journal_mode = WAL')
    // Each commit waits for the disk: NORMAL may lose acknowledged commits in a power cut.
    this.#database.run('PRAGMA synchronous = FULL')
    this.#database.run('CREATE TABLE IF NOT EXISTS buckets (name TEXT PRIMARY KEY) WITHOUT ROWID')
    this.#database.run(`CREATE TABLE IF NOT EXISTS objects (
      bucket TEXT, key TEXT, body TEXT NOT NULL, size INTEGER NOT NULL, etag TEXT NOT NULL,
      modified_ms INTEGER NOT NULL, headers TEXT NOT NULL, PRIMARY KEY (bucket, key)) WITHOUT ROWID`)
    syncFolder(folder) // the names of SQLite's files
    this.#sweep()
  }

  createBucket(name: string): void {
    this.#database.query('INSERT OR IGNORE INTO buckets VALUES (?)').run(name)
  }

  hasBucket(name: string): boolean {
    return this.#database.query('SELECT 1 FROM buckets WHERE name = ?').get(name) !== null
  }

  /** Stores an object, replacing any other. */
  async put(
    { bucket, key }: Location,
    content: { bytes: Uint8Array; headers: Record<string, string>; nowMs: number; absent: boolean },
  ): Promise<StoredObject | undefined> {
    const body = randomBytes(16).toString('hex')
    const etag = `"${createHash('md5').update(content.bytes).digest('hex')}"`
    const size = content.bytes.length
    const object: StoredObject = { key, size, etag, modifiedMs: content.nowMs, headers: content.headers }
    let superfluous: string | undefined = body
    try {
      await this.#writeBody(body, content.bytes)
      const old = this.#row({ bucket, key })
      if (old && content.absent) return undefined
      this.#write(bucket, body, object)
      superfluous = old?.body
      return object
    } finally {
      // A partial body would keep a full disk full.
      if (superfluous) this.#remove(superfluous)
    }
  }

  head(location: Location): StoredObject | undefined {
    const row = this.#row(location)
    return row && toObject(row)
  }

  /** The object and its bytes, read synchronously, so that no overwrite can delete the body in between. */
  get(location: Location): { object: StoredObject; bytes: Buffer } | undefined {
    const row = this.#row(location)
    if (!row) return undefined
    const bytes = readFileSync(join(this.#bodies, row.body))
    if (bytes.length !== row.size)
      throw new Error(`The body ${row.body} has ${bytes.length} bytes and should have ${row.size}.`)
    return { object: toObject(row), bytes }
  }

  delete(location: Location): void {
    const row = this.#row(location)
    if (!row) return
    this.#database
      .query('DELETE FROM objects WHERE bucket = ? AND key = ?')
      .run(location.bucket, location.key)
    this.#remove(row.body)
  }

  /**
   * One page of keys in UTF-8 order; keys with the same text up to `delimiter` are one entry of `prefixes`.
   */
  list({ bucket, prefix, delimiter, after, limit }: ListQuery): Page {
    const page: Page = { objects: [], prefixes: [], next: undefined }
    const following = this.#database.query<Row, [string, string, string]>(
      'SELECT * FROM objects WHERE bucket = ? AND key > ? AND key >= ? ORDER BY key LIMIT 1',
    )
    for (let last = after; ; ) {
      const row = following.get(bucket, last, prefix)
      if (!row?.key.startsWith(prefix)) return page
      if (page.objects.length + page.prefixes.length >= limit) return { ...page, next: last }
      const cut = delimiter ? row.key.indexOf(delimiter, prefix.length) : -1
      const shared = row.key.slice(0, cut + delimiter.length)
      if (cut < 0) page.objects.push(toObject(row))
      else page.prefixes.push(shared)
      last = cut < 0 ? row.key : shared + LAST_CHARACTER
    }
  }

  close(): void {
    this.#database.close()
  }

  #row({ bucket, key }: Location): Row | undefined {
    return (
      this.#database
        .query<Row, [string, string]>('SELECT * FROM objects WHERE bucket = ? AND key = ?')
        .get(bucket, key) ?? undefined
    )
  }

  #write(bucket: string, body: string, { key, size, etag, modifiedMs, headers }: StoredObject): void {
    this.#database
      .query('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?, ?, ?, ?)')
      .run(bucket, key, body, size, etag, modifiedMs, JSON.stringify(headers))
  }

  async #writeBody(body: string, bytes: Uint8Array): Promise<void> {
    const file = await open(join(this.#bodies, body), 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.datasync()
    } finally {
      await file.close()
    }
    await syncFolderSoon(this.#bodies)
  }

  #remove(body: string): void {
    rmSync(join(this.#bodies, body), { force: true })
  }

  #sweep(): void {
    const rows = this.#database.query<{ body: string }, []>('SELECT body FROM objects').all()
    const used = new Set(rows.map(({ body }) => body))
    for (const body of readdirSync(this.#bodies)) if (!used.has(body)) this.#remove(body)
  }
}

function toObject({ key, size, etag, modified_ms, headers }: Row): StoredObject {
  const parsed: Record<string, string> = JSON.parse(headers)
  return { key, size, etag, modifiedMs: modified_ms, headers: parsed }
}

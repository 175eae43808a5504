import type { Database } from '@palanquin/db/client'
import { BatchLoader } from '@palanquin/service/batch-loader'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import type { Log } from '@palanquin/service/log'
import QuickLRU from 'quick-lru'
import { findTokens, type TokenRow, tokensPage } from './tokens-store.ts'

/** Of a token that is in use; a change is known at once by its event, and so soon without it. */
const FRESH_MS = 30_000
/** After a failure PostgreSQL is not asked for a token that is known. */
const AWAY_MS = 1_000
const HASHES_PER_QUERY = 200
const PAGE_TOKENS = 10_000
const LOAD_AGAIN_MS = 2_000
/** Some 300 bytes each; the latest so many, and at most twice as many. */
const TOKENS_SIZE = 200_000

type Known = TokenRow & { checkedAt: number }

export type DeviceTokens = ReturnType<typeof followDeviceTokens>

type Options = { db: Database; log: Log; nowMs?: () => number }

/**
 * The write tokens of phone apps, by their hashes, in memory: all that were good when this process started, and those
 * that were used since. While PostgreSQL is away those go on: phones keep what they recorded, but some for minutes only.
 */
export function followDeviceTokens({ db, log, nowMs = () => performance.now() }: Options) {
  const known = new QuickLRU<string, Known>({ maxSize: TOKENS_SIZE })
  let asksAgainAt = 0
  let changes = 0
  let isLoaded = false
  let timer: ReturnType<typeof setInterval> | undefined
  let loading: Promise<void> | undefined

  /** What was read while something changed may be older than the change: it is read again at its next use. */
  const put = (row: TokenRow, changesBefore: number): Known => {
    const token = { ...row, checkedAt: changes === changesBefore ? nowMs() : Number.NEGATIVE_INFINITY }
    known.set(row.hash, token)
    return token
  }

  const loader = new BatchLoader<string, Known | undefined>({
    sizeMax: HASHES_PER_QUERY,
    loadAll: async (hashes) => {
      const before = changes
      const rows = new Map((await findTokens(db, hashes)).map((row) => [row.hash, row]))
      return hashes.map((hash) => {
        const row = rows.get(hash)
        if (row) return put(row, before)
        known.delete(hash)
        return undefined
      })
    },
  })

  /** Every token that is good, so that an outage of PostgreSQL later finds them here. */
  const load = async (): Promise<void> => {
    let after = ''
    for (;;) {
      const before = changes
      const rows = await tokensPage(db, after, PAGE_TOKENS)
      for (const row of rows) if (!known.has(row.hash)) put(row, before)
      const last = rows.at(-1)
      if (!last || rows.length < PAGE_TOKENS) break
      after = last.hash
    }
    isLoaded = true
  }

  const loadOnce = (): void => {
    if (isLoaded) return
    loading ??= load()
      .catch((error: unknown) => {
        const reason = String(error)
        log.debug(
          { event: 'devices.load_postponed', reason },
          'Write tokens are read once PostgreSQL is there',
        )
      })
      .finally(() => {
        loading = undefined
      })
  }

  return {
    /**
     * The device of a token's hash; undefined where there is none, or no more.
     * @throws StoreUnavailable when PostgreSQL is away and the token is not known
     */
    find: async (hash: string): Promise<TokenRow | undefined> => {
      const token = known.get(hash)
      if (token && (nowMs() - token.checkedAt < FRESH_MS || nowMs() < asksAgainAt)) return token
      try {
        return await loader.load(hash)
      } catch (error) {
        if (!token || !(error instanceof StoreUnavailable)) throw error
        asksAgainAt = nowMs() + AWAY_MS
        return token
      }
    },
    /** A device was revoked, or got another token: its tokens are read again. */
    changed: (deviceId: string): void => {
      changes++
      for (const [hash, token] of known) if (token.deviceId === deviceId) known.delete(hash)
    },
    /** The participant was erased. */
    erased: (isErased: (userId: string) => boolean): void => {
      changes++
      for (const [hash, token] of known) if (isErased(token.userId)) known.delete(hash)
    },
    name: 'write tokens of devices',
    start: (): void => {
      loadOnce()
      timer = setInterval(loadOnce, LOAD_AGAIN_MS)
    },
    stop: async (): Promise<void> => {
      clearInterval(timer)
      await loading
    },
  }
}

import { afterEach, beforeEach } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@palanquin/service/log'
import { createMetrics } from '@palanquin/service/metrics'
import { testClock } from '@palanquin/testing/clock'
import { until } from '@palanquin/testing/until'
import { type Journal, openJournal } from '../src/journal/journal.ts'
import { replayMetrics } from '../src/journal/metrics.ts'
import { createReplayer, type Replayed } from '../src/journal/replay.ts'

/** A journal in a folder of its own for every test of a file; call it at the file's top. */
export function journalHarness() {
  const log = createLog({ service: 'test', level: 'silent' })
  const clock = testClock()
  const cleanUp: (() => Promise<void> | void)[] = []
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'palanquin-journal-'))
  })
  afterEach(async () => {
    for (const work of cleanUp.splice(0).reverse()) await work()
    rmSync(folder, { recursive: true, force: true })
  })

  const segments = () =>
    readdirSync(folder)
      .filter((name) => /^\d+\.(log|kept)$/.test(name))
      .sort()

  /** PostgreSQL has what Redis has. */
  const stored = (journal: Journal): void => {
    for (const segment of journal.withoutHighWater()) segment.highWater = []
    journal.markFlushed([])
  }

  const open = new Set<Journal>()
  const close = async (journal: Journal, epoch: string | null = null): Promise<void> => {
    if (open.delete(journal)) await journal.close(epoch)
  }

  return {
    clock,
    path: (name: string) => join(folder, name),
    segments,
    open: async ({ bytesMax = 2 ** 31, fsync = true, onReplayWanted = () => {} } = {}): Promise<Journal> => {
      const journal = await openJournal({ folder, bytesMax, fsync, now: clock.now, log, onReplayWanted })
      open.add(journal)
      cleanUp.push(() => close(journal))
      return journal
    },
    /** Ends it cleanly, before the test does. */
    close,
    stored,
    /** Redis has on its disk what it took. */
    settled: async (journal: Journal): Promise<void> => {
      clock.advance(6_000)
      await until(() => journal.withoutHighWater().length > 0, { what: 'the file is closed' })
      journal.markPersisted(clock.now())
    },
    /** Resolves when PostgreSQL has all, and no file is left. */
    gone: (journal: Journal) =>
      until(
        () => {
          stored(journal)
          return segments().length === 0
        },
        { what: 'the files go' },
      ),
    /** Ends it as a crash would: the lock is gone, and nothing is known of what Redis took. */
    crash: async (journal: Journal): Promise<void> => {
      const files = segments().map((name) => [join(folder, name), readFileSync(join(folder, name))] as const)
      await close(journal)
      for (const [path, bytes] of files) writeFileSync(path, bytes)
    },
    /** Replays into a list; `take` may refuse, or be away. */
    replayInto: (journal: Journal, take: (n: number) => Replayed = () => 'taken') => {
      const replayed: number[] = []
      const write = async (json: string): Promise<Replayed> => {
        const { n } = JSON.parse(json)
        const outcome = take(n)
        if (outcome === 'taken') replayed.push(n)
        return outcome
      }
      const registry = createMetrics('test')
      const metrics = replayMetrics(registry)
      const replayer = createReplayer({ journal, write, isUp: () => true, now: clock.now, log, metrics })
      cleanUp.push(replayer.stop)
      replayer.start()
      return { replayed, replayer, metrics: () => registry.metrics() }
    },
  }
}

/** Appends `{"n": from}` and so on, all in one event-loop tick. */
export const fill = (journal: Journal, entries: number, from = 0) =>
  Promise.all(Array.from({ length: entries }, (_, i) => journal.append(JSON.stringify({ n: from + i }))))

export const upTo = (n: number) => Array.from({ length: n }, (_, i) => i)

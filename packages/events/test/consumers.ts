import type { DomainEvent } from '@palanquin/domain/events'
import { until } from '@palanquin/testing/until'
import { type ConsumeOptions, consume } from '../src/consume.ts'
import { type DeadLetter, listDeadLetters } from '../src/dead-letters.ts'
import { applyOnce } from '../src/once.ts'
import { publish } from '../src/publish.ts'
import { entriesOf, STREAM_KEY } from '../src/stream.ts'
import { EFFECT, event, silentLog, type TestBus } from './bus.ts'

/** For this package's tests: consumers whose effect is a row per event. */
export function testConsumers(bus: () => TestBus) {
  const effect = async (eventId: string): Promise<void> => {
    await applyOnce(bus().db, { schema: 'engagement', eventId, effects: [EFFECT] })
  }
  const isInStream = async ({ id }: DomainEvent): Promise<boolean> =>
    entriesOf(await bus().redis.xRange(STREAM_KEY, '-', '+')).some(({ fields }) => fields?.id === id)
  /** What Redis was late to answer it may have written all the same, and is not published twice. */
  const publishOnce = (one: DomainEvent) =>
    until(async () => (await isInStream(one)) || publish(bus().redis, one).then(() => true), {
      what: 'the publication of an event',
    })
  return {
    effect,
    /** A consumer `one` of the group `readers`; abandoned entries are claimed after 200 ms. */
    consumer: (overrides: Partial<ConsumeOptions> = {}) =>
      consume({
        redis: bus().redis,
        blocking: bus().connect({ blocking: true }),
        group: 'readers',
        consumer: 'one',
        handlers: { 'achievement.unlocked': ({ id }) => effect(id) },
        log: silentLog,
        claimIdleMs: 200,
        ...overrides,
      }),
    /** Publishes an event about each of these and gives their ids. */
    publishAll: async (names: readonly string[]): Promise<string[]> => {
      const events = names.map(event)
      for (const one of events) await publishOnce(one)
      return events.map(({ id }) => id)
    },
    /** Waits until each of these events has had its effect. */
    effectsOf: (ids: readonly string[]) =>
      until(
        async () => {
          const effects = await bus().effects()
          return ids.every((id) => effects.has(id))
        },
        { what: 'an effect of each event' },
      ),
    lettersOf: (count: number): Promise<DeadLetter[]> =>
      until(
        async () => {
          const { letters } = await listDeadLetters(bus().redis)
          return letters.length === count && letters
        },
        { what: `${count} dead letter(s)` },
      ),
    pending: async () => (await bus().redis.xPending(STREAM_KEY, 'readers')).pending,
    nothingPending: () =>
      until(async () => (await bus().redis.xPending(STREAM_KEY, 'readers')).pending === 0, {
        what: 'the end of all work',
      }),
  }
}

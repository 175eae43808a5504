import { join } from 'node:path'
import { Carbon } from '@palanquin/domain/carbon'
import { Profile } from '@palanquin/domain/participant'
import type { LineStub } from '@palanquin/line-simulator/stub'
import { dataOf } from '@palanquin/stack/api'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { until } from '@palanquin/testing/until'
import Type, { type Static } from 'typebox'
import { makeCard } from './make-card.ts'

/** Every place that shows a participant's level, distance and carbon, each as its reader gets it. */

const CARD_KEY = join(PROJECT_ROOT, 'apps/media/test/card-key.ts')
/** "My distance" in the chat. */
const HOW_FAR = '里程'

const Listed = Type.Object({ items: Type.Array(Profile), total: Type.Integer() })
const Answered = Type.Object({ items: Type.Array(Type.Object({ userId: Type.String(), carbon: Carbon })) })
const OnTheMap = Type.Object({
  points: Type.Array(
    Type.Object({ userId: Type.String(), level: Type.Union([Type.Integer(), Type.Null()]) }),
  ),
})
const Aggregate = Type.Object({
  participants: Type.Integer(),
  totalKg: Type.Number(),
  avoidedKg: Type.Number(),
  byComponent: Type.Object({
    travelKg: Type.Number(),
    trackedKg: Type.Number(),
    waterKg: Type.Number(),
    recycleKg: Type.Number(),
    hotelKg: Type.Number(),
  }),
  byDay: Type.Array(Type.Object({ motorizedKm: Type.Number(), walkedKm: Type.Number(), kg: Type.Number() })),
})

export type EventFacts = { nameZh: string; nameEn: string; dates: string | null }

export function readersOf({ api, sql }: ThrowawayStack) {
  const manager = api.as('manager')
  return {
    list: async (query = ''): Promise<Static<typeof Profile>[]> =>
      dataOf(Listed, await api.get(`/admin/users?limit=1000${query}`, manager)).items,
    /** A row of the CSV by column names. Names must need no quoting. */
    csv: async (userId: string): Promise<Record<string, string | undefined>> => {
      const { body } = await api.get('/admin/users?format=csv', manager)
      const rows = String(body)
        .replace(/^\uFEFF/, '')
        .split('\r\n')
        .map((row) => row.split(','))
      const cells = rows.find(([id]) => id === userId) ?? []
      return Object.fromEntries((rows[0] ?? []).map((name, column) => [name, cells[column]]))
    },
    survey: async (userId: string): Promise<Carbon | undefined> =>
      dataOf(Answered, await api.get('/admin/surveys?limit=1000', manager)).items.find(
        (item) => item.userId === userId,
      )?.carbon,
    aggregate: async () => dataOf(Aggregate, await api.get('/admin/carbon', manager)),
    map: async (userId: string) =>
      dataOf(OnTheMap, await api.get('/data', manager)).points.find((point) => point.userId === userId)
        ?.level,
    /** The figures of a card by its key: requested by anyone, then looked up in its storage. */
    card: async (userId: string): Promise<string | undefined> => {
      await makeCard(api, { user_id: userId })
      const [row] = await sql<{ content_key: string }[]>`
        SELECT content_key FROM media.cards WHERE user_id = ${userId}`
      return row?.content_key
    },
  }
}

/** The key of the card that shows these figures. */
export async function cardKeyOf(profile: Profile, event: EventFacts): Promise<string> {
  const child = Bun.spawn([process.execPath, '--no-env-file', CARD_KEY], {
    stdio: [new Blob([JSON.stringify({ profile, event })]), 'pipe', 'inherit'],
  })
  return (await child.stdout.text()).trim()
}

/** All texts of the message in which the bot reports a participant's figures. */
export async function botTexts({ control }: LineStub, userId: string): Promise<string[]> {
  await control.send(control.from(userId).text(HOW_FAR))
  const message = await until(
    () =>
      control.deliveries
        .received(userId)
        .map((delivery) => delivery.message)
        .find(({ type }) => type === 'flex'),
    { what: 'the figures in the chat' },
  )
  return textsIn(message)
}

function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'text' in value && typeof value.text === 'string' ? [value.text] : []
  return [...own, ...Object.values(value).flatMap(textsIn)]
}

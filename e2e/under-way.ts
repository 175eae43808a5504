import { readFileSync } from 'node:fs'
import type { LineStub } from '@palanquin/line-simulator/stub'
import { dataOf, type Reply } from '@palanquin/stack/api'
import { PIXEL } from '@palanquin/stack/testing/pixel'
import type { ThrowawayStack } from '@palanquin/stack/testing/throwaway-stack'
import { PHONE_REQUESTS } from '@palanquin/testing/phones/requests'
import Type from 'typebox'

const HOUR_MS = 3_600_000
const STARTED_MS = Date.now() - 6 * HOUR_MS
const ANSWERS = { q1: [], q2: [], q3: { bus: 12 }, q4: [], q5: 1, q6: 'mixed', q7: 3, q8: 2, q9: 0 }
const Issued = Type.Object({ token: Type.String() })

export type Person = { userId: string; token: string; texts: Record<Text, string> }
type Text = 'name' | 'phone' | 'note' | 'comment' | 'message' | 'words'

/** What is wanted of a person to be found nowhere after their erasure. */
export const needlesOf = ({ userId, texts }: Person): string[] => [userId, ...Object.values(texts)]

/** A request that was sent: when it was answered (epoch ms), and with what. */
export type Sent = { what: string; status: number; answeredAt: number }

/** People with a phone and a chat, and everything that can be under way for one of them. */
export function travellers({ stack, line }: { stack: ThrowawayStack; line: LineStub }) {
  const { api } = stack
  const owner = api.as('owner')
  const { url, caFile } = stack.running()
  const tls = { ca: readFileSync(caFile, 'utf8') }
  const fetched = async (path: string, init: RequestInit) => {
    const answer = await fetch(url + path, { ...init, tls })
    await answer.arrayBuffer()
    return answer
  }
  const once = (path: string, body: object) => api.post(path, body, { once: true })
  const upload = (token: string, points: number) => {
    const form = new FormData()
    form.append('file', new Blob([gpx(points)]), 'walk.gpx')
    const headers = { authorization: `Bearer ${token}` }
    return fetched('/upload/import', { method: 'POST', headers, body: form })
  }

  return {
    upload,
    /** Somebody with the bot as a friend, a name and a phone that may send. */
    make: async (name: string): Promise<Person> => {
      const texts = {
        name: `${name}-name`,
        note: `${name}-note`,
        comment: `${name}-comment`,
        message: `${name}-message`,
        words: `${name}-words`,
        phone: `9${digitsOf(name)}`,
      }
      const { userId } = line.control.people.add({ displayName: texts.name })
      await api.post('/user/sync', { userId, displayName: texts.name })
      const { token } = dataOf(Issued, await api.post('/devices', { userId, app: 'owntracks' }, owner))
      return { userId, token, texts }
    },
    /** Everything at once, each sent once; resolves when all of it is answered. */
    everything: ({ userId, token, texts }: Person): Promise<Sent[]> => {
      const person = line.control.from(userId)
      const fix = { lat: 24.2, lng: 120.7, recordedAt: Date.now() - HOUR_MS }
      const [owntracks] = PHONE_REQUESTS.owntracks(token, [fix])
      if (!owntracks) throw new Error('OwnTracks sends nothing')
      const points = Array.from({ length: 60 }, (_, at) => ({
        lat: 24.3 + at * 1e-4,
        lng: 120.62,
        recordedAt: Date.now() - 2 * HOUR_MS + at * 10_000,
      }))
      const answers = { ...ANSWERS, q10: texts.comment }
      const requests: Record<string, () => Promise<Pick<Reply, 'status'>>> = {
        import: () => upload(token, 6_000),
        sync: () => once('/track/sync', { userId, points }),
        checkin: () => once('/checkin', { userId, lat: 24.35, lng: 120.62, note: texts.note }),
        fix: () => fetched(owntracks.path, owntracks.init),
        push: () =>
          api.post('/push', { to: { userIds: [userId] }, text: texts.words }, { ...owner, once: true }),
        consent: () => once('/privacy', { userId, consent: true, version: '1', visibility: 'named' }),
        feedback: () => once('/feedback', { userId, category: 'bug', message: texts.message }),
        survey: () => once('/submit', { userId, answers, phone: `0${texts.phone}` }),
        card: () => api.get(`/og/${userId}.png`, { once: true }),
        chat: async () => {
          const { ok } = await line.control.send([
            person.location({ lat: 24.4, lng: 120.6, title: texts.note }),
            person.image({ bytes: new Uint8Array(PIXEL), contentType: 'image/png' }),
          ])
          return { status: ok ? 200 : 500 }
        },
      }
      return Promise.all(
        Object.entries(requests).map(async ([what, send]) => {
          const { status } = await send()
          return { what, status, answeredAt: Date.now() }
        }),
      )
    },
  }
}

/** Eight digits that no other name of a run has. */
const digitsOf = (name: string) => String(Bun.hash(name) % 100_000_000n).padStart(8, '0')

/** A walk of a point a second, some 1.1 m/s to the east. */
const gpx = (points: number) =>
  `<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>${Array.from(
    { length: points },
    (_, at) =>
      `<trkpt lat="24.5" lon="${120.5 + at * 1.1e-5}"><time>${new Date(STARTED_MS + at * 1_000).toISOString()}</time></trkpt>`,
  ).join('')}</trkseg></trk></gpx>`

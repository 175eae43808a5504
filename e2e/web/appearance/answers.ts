import type { CDPSession } from 'playwright-core'
import { answersAt } from './activity.ts'
import { ownAnswers } from './own.ts'
import type { Scene } from './scenes.ts'

const BUSY = { error: 'Busy.' }
/** A request of the page was left with the page. */
const GONE = /Invalid InterceptionId|Session closed|Target page/

/** Answers the API's requests of a page by its present scene. */
export async function answerWith(devtools: CDPSession, origin: string, scene: () => Scene): Promise<void> {
  let joinedIn: Scene | undefined
  const reply = async (requestId: string, status: number, body: object | null) => {
    const responseHeaders = [
      { name: 'content-type', value: 'application/json' },
      ...(status >= 400 ? [{ name: 'retry-after', value: '40' }] : []),
    ]
    await devtools.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: status,
      responseHeaders,
      body: body === null ? '' : Buffer.from(JSON.stringify(body)).toString('base64'),
    })
  }
  const answer = async (requestId: string, { method, url }: { method: string; url: string }) => {
    const present = scene()
    const { pathname } = new URL(url)
    const { moment, failing, person, isWithdrawn } = present
    if (person !== undefined) {
      if (method === 'POST' && pathname.endsWith('/session')) joinedIn = present
      const isSignedIn = person === 'signed-in' || joinedIn === present
      const [, own] =
        ownAnswers({ method, isSignedIn, isWithdrawn }).find(([end]) => pathname.endsWith(end)) ?? []
      // Who is signed in is known from a page before.
      if (own !== undefined && failing !== undefined && !pathname.endsWith('/session'))
        return reply(requestId, failing, BUSY)
      if (own !== undefined) return reply(requestId, own === null ? 204 : 200, own)
    }
    const answers = Object.entries(answersAt({ status: 'active', palanquin: 'live', ...moment }))
    const [, known] = answers.find(([end]) => pathname.endsWith(end)) ?? []
    if (known === undefined) return devtools.send('Fetch.continueRequest', { requestId })
    if (failing === undefined) return reply(requestId, 200, { data: known })
    return reply(requestId, failing, BUSY)
  }
  devtools.on('Fetch.requestPaused', ({ requestId, request }) => {
    answer(requestId, request).catch((error: unknown) => {
      if (!GONE.test(String(error))) throw error
    })
  })
  await devtools.send('Fetch.enable', { patterns: [{ urlPattern: `${origin}/api/*` }] })
}

import { expect, test } from 'bun:test'
import { untilReady } from './until-ready.ts'

type Parts = { postgres: boolean; redis: boolean; map: boolean }

/** An app that is as `partsAfter` says after so many looks; `looks` counts them. */
function appThatIs(partsAfter: (looks: number) => Parts) {
  const app = {
    looks: 0,
    fetch: (): Response => {
      const parts = partsAfter(app.looks++)
      const isReady = Object.values(parts).every(Boolean)
      const said = Object.fromEntries(Object.entries(parts).map(([name, ok]) => [name, { ok }]))
      return Response.json({ ok: isReady, parts: said }, { status: isReady ? 200 : 503 })
    },
  }
  return app
}

const took = async (work: Promise<void>): Promise<number> => {
  const startedMs = performance.now()
  await work
  return performance.now() - startedMs
}

test('a process that only has to read its stores is waited for beyond two seconds', async () => {
  const startedMs = performance.now()
  let isLoaded = false
  const app = appThatIs(() => {
    isLoaded = performance.now() - startedMs > 2_500
    return { postgres: true, redis: true, map: isLoaded }
  })
  await untilReady(app, { loadingMsMax: 600_000 })
  expect(isLoaded).toBe(true)
})

test('what never has read them serves at last', async () => {
  const app = appThatIs(() => ({ postgres: true, redis: true, map: false }))
  await untilReady(app, { loadingMsMax: 1_000 })
  expect(app.looks).toBeGreaterThan(1)
})

test('without a store a process serves after two seconds, however long it may load', async () => {
  const app = appThatIs(() => ({ postgres: false, redis: true, map: false }))
  expect(await took(untilReady(app, { loadingMsMax: 3_600_000 }))).toBeGreaterThan(1_999)
})

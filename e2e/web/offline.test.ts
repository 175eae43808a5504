import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTest, evaluate, openPage } from './browser.ts'
import { inspectPresent, TROUBLE, textOf } from './inspect.ts'
import { appointPalanquin, BAISHATUN, palanquinAt } from './seed.ts'
import { answerAll, joinForSurvey, startSurvey } from './survey.ts'
import { webStack } from './web-stack.ts'

const web = webStack({}, async (web) => {
  await appointPalanquin(web.stack)
  await palanquinAt(web.stack, BAISHATUN)
})

async function visit(path: string, see: (page: Page) => Promise<void>): Promise<void> {
  const { page, problems, close } = await openPage(web.browser, web.origin, { expected: TROUBLE })
  await page.goto(web.origin + path)
  // It is fetched once the page has loaded; without the network that would be another trouble.
  await evaluate(page, 'navigator.serviceWorker.ready.then(() => true)')
  await see(page)
  await close()
  expect(problems).toEqual([])
}

/** What the service worker keeps once it runs: what a page without a network is made of. */
const KEPT = `(async () => {
  await navigator.serviceWorker.ready
  const names = await caches.keys()
  const paths = await Promise.all(names.map(async (name) =>
    (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)))
  return paths.flat()
})()`

browserTest('offline: what was last known stands, with its time, until the network is back', async () => {
  // The map needs its worker, which is one more file.
  for (const [path, ...shown] of [
    ['/', '.where-place'],
    ['/map', '.where-place', '.beacon-palanquin'],
  ] as const)
    await visit(path, async (page) => {
      for (const part of shown) await page.locator(part).first().waitFor()
      await page.context().setOffline(true)
      await page.getByText('沒有網路').first().waitFor()
      expect(await textOf(page)).toMatch(/鑾轎在苗栗縣通霄鎮[\s\S]*顯示的是 .*\d\d:\d\d 的資料/)
      await inspectPresent(page)
      await page.context().setOffline(false)
      await page.locator('.banner-offline').waitFor({ state: 'detached' })
    })
})

browserTest('a page that was seen once opens without a network, and nothing personal is kept', async () => {
  await visit('/map?lang=zh-TW', async (page) => {
    await page.locator('.beacon-palanquin').waitFor()
    await page.reload()
    await page.locator('.beacon-palanquin').waitFor()
    const kept = await evaluate<string[]>(page, KEPT)
    expect(kept).toContain('/map')
    expect(kept.filter((path) => path.startsWith('/api/')).map((path) => path.split('/')[3] ?? '')).toEqual(
      expect.arrayContaining(['activity', 'beacons']),
    )
    expect(kept.filter((path) => /user|session|share|feedback\/|survey\//.test(path))).toEqual([])
    await page.context().setOffline(true)
    await page.reload()
    await page.getByText('沒有網路').first().waitFor()
    await page.getByText('鑾轎在苗栗縣通霄鎮').first().waitFor()
  })
})

browserTest('feedback that is written without a network says so, and goes when there is one', async () => {
  await visit('/feedback?lang=zh-TW', async (page) => {
    await page.context().setOffline(true)
    await page.getByText('沒有網路').first().waitFor()
    await page.getByLabel('您想說的話').fill('山路上沒有訊號')
    await page.getByRole('button', { name: '送出' }).click()
    await page.getByText('連上網路後會自動送出').waitFor()
    await inspectPresent(page)
    await page.context().setOffline(false)
    await page.getByText('收到了，謝謝您。').waitFor()
  })
  expect(
    (await web.stack.sql`SELECT message FROM engagement.feedback`).map(({ message }) => message),
  ).toEqual(['山路上沒有訊號'])
})

browserTest('a survey that is answered without a network is sent when there is one', async () => {
  await visit('/survey?lang=zh-TW', async (page) => {
    await joinForSurvey(page)
    await startSurvey(page)
    await page.context().setOffline(true)
    await page.getByText('您寫的內容都留在這支手機上').waitFor()
    await answerAll(page)
    await page.getByText('連上網路後會自動送出').waitFor()
    await inspectPresent(page)
    await page.context().setOffline(false)
    await page.getByText('問卷完成了').waitFor()
  })
  expect((await web.stack.sql`SELECT 1 FROM engagement.survey_history`).length).toBe(1)
})

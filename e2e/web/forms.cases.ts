import { expect } from 'bun:test'
import { PIXEL } from '@palanquin/stack/testing/pixel'
import { until } from '@palanquin/testing/until'
import { violations } from './axe.ts'
import { browserTest, openPage } from './browser.ts'
import { inspectPresent } from './inspect.ts'
import { draftOf } from './pilgrim.ts'
import { web } from './plain.ts'
import { answerOne, joinForSurvey } from './survey.ts'

browserTest('feedback goes with a picture, and its status and the reply come back', async () => {
  const origin = web.origin
  const { page, problems, close } = await openPage(web.browser, origin)
  await page.goto(`${origin}/feedback`)
  await page.getByRole('button', { name: '送出' }).click()
  await page.getByRole('alert').getByText('請寫下您想說的話。').waitFor()
  expect(await violations(page)).toEqual([])
  await page.getByLabel('感謝').check()
  await page.getByLabel('您想說的話').fill('謝謝志工 🙏')
  await page
    .getByLabel('附上一張圖片')
    .setInputFiles({ name: 'picture.png', mimeType: 'image/png', buffer: PIXEL })
  await page.getByRole('button', { name: '送出' }).click()
  await page.getByText('收到了，謝謝您。').waitFor()
  await page.getByText('已收到').waitFor()
  expect(await violations(page)).toEqual([])
  const [row] = await web.stack.sql`SELECT id, screenshot IS NOT NULL AS pictured FROM engagement.feedback`
  expect(row?.pictured).toBe(true)
  const reply = '不客氣 <i>一路平安</i>'
  for (const change of [{ status: 'in_progress' }, { status: 'resolved', reply }]) {
    const { status } = await web.stack.api.patch(`/feedback/${row?.id}`, change, web.stack.api.as('manager'))
    expect(status).toBe(200)
  }
  await page.reload()
  await page.getByText('已處理').waitFor()
  await page.getByText(reply).waitFor()
  await close()
  expect(problems).toEqual([])
})

browserTest('a survey is filled in, survives a reload half-way, and is sent', async () => {
  const origin = web.origin
  const { page, problems, close } = await openPage(web.browser, origin)
  await page.goto(`${origin}/survey`)
  await page.getByText('問卷的答案會歸在您的進香紀錄裡').waitFor()
  await inspectPresent(page)
  await joinForSurvey(page)
  await page.getByRole('button', { name: '開始' }).click()
  let { n, total } = await answerOne(page)
  while (n < Math.floor(total / 2)) ({ n, total } = await answerOne(page))
  // A long question was left at its end; the next one is seen from its beginning.
  const isShown = () => page.locator('form p:focus', { hasText: `第 ${n + 1} 題` }).waitFor()
  await isShown()
  await until(async () => (await draftOf<{ at: number }>(page, 'survey'))?.at === n, { what: 'the draft' })
  await page.reload()
  await page.getByRole('button', { name: '繼續填寫' }).click()
  await isShown()
  while (n < total) {
    expect(await violations(page)).toEqual([])
    ;({ n } = await answerOne(page))
  }
  await page.getByText('問卷完成了').waitFor()
  expect(await violations(page)).toEqual([])
  await close()
  expect(problems).toEqual([])
  const [row] = await web.stack.sql`
    SELECT p.consent_at < h.submitted_at AS "isAskedBefore", p.consent_version AS version
      FROM engagement.survey_history AS h JOIN engagement.participants AS p USING (user_id)`
  expect(row).toEqual({ isAskedBefore: true, version: '1' })
})

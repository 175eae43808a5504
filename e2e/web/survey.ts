import type { Page } from 'playwright-core'

/** Joins on the page of the survey, where that is asked before. */
export async function joinForSurvey(page: Page): Promise<void> {
  await page.getByRole('button', { name: '同意並加入' }).click()
  await page.getByRole('button', { name: '我已經收好了' }).click()
}

/** Begins the survey, once it has arrived. */
export const startSurvey = (page: Page): Promise<void> => page.getByRole('button', { name: '開始' }).click()

/** Answers the question on the screen; its number and how many there are. */
export async function answerOne(page: Page): Promise<{ n: number; total: number }> {
  const line = await page.locator('form .small').first().textContent()
  const [n = 0, total = 0] = [...(line ?? '').matchAll(/\d+/g)].map(Number)
  const field = page.locator('form input, form textarea').first()
  const type = (await field.getAttribute('type')) ?? 'text'
  if (type === 'checkbox' || type === 'radio') await field.check()
  else await field.fill(type === 'number' ? '3' : '明年再來')
  await page.locator('form .button-main').click()
  return { n, total }
}

/** Answers all questions from the present one on, and presses "send". */
export async function answerAll(page: Page): Promise<void> {
  for (;;) {
    const { n, total } = await answerOne(page)
    if (n >= total) return
    await page
      .getByText(`第 ${n + 1} 題`)
      .first()
      .waitFor()
  }
}

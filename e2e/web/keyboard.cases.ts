import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { browserTest, evaluate, openPage } from './browser.ts'
import { web } from './guided.ts'
import { openPhone } from './pilgrim.ts'

type Focused = { name: string; isVisible: boolean } | null
/** The element that has the focus, and whether one sees that it has; null on the page itself. */
const FOCUSED = `(() => {
  const one = document.activeElement
  if (one === null || one === document.body || one === document.documentElement) return null
  const { outlineStyle, outlineWidth } = getComputedStyle(one)
  const all = [...document.querySelectorAll('*')]
  return { name: String(all.indexOf(one)) + ' ' + one.outerHTML.slice(0, 90), isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 }
})()`
/** Of a group of radio buttons Tab reaches the chosen one; the arrow keys go to the others. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, input, textarea, select, summary, [tabindex]')]
  .filter((one) => one.tabIndex >= 0 && one.checkVisibility() && !one.disabled && !(one.type === 'radio' && !one.checked))
  .map((one) => String([...document.querySelectorAll('*')].indexOf(one)) + ' ' + one.outerHTML.slice(0, 90))`

/** Tab goes through every control of a page, shows the focus on each, and leaves the last. */
async function reachesAll(page: Page): Promise<void> {
  const controls = await evaluate<string[]>(page, CONTROLS)
  const reached = new Set<string>()
  for (let i = 0; i < controls.length; i++) {
    await page.keyboard.press('Tab')
    const focused = await evaluate<Focused>(page, FOCUSED)
    expect([focused?.name, focused?.isVisible]).toEqual([focused?.name, true])
    if (focused) reached.add(focused.name.split(' ')[0] ?? '')
  }
  expect(controls.filter((name) => !reached.has(name.split(' ')[0] ?? ''))).toEqual([])
  // The next one leaves the page, or begins anew at its first control.
  const last = await evaluate<Focused>(page, FOCUSED)
  await page.keyboard.press('Tab')
  expect((await evaluate<Focused>(page, FOCUSED))?.name).not.toBe(last?.name ?? '')
}

browserTest('the keyboard alone reaches every control and leaves it, with visible focus', async () => {
  const origin = web.origin
  for (const [path, stands] of [
    ['/', '.where-place'],
    ['/map', '.beacon-palanquin'],
    ['/me', '.join [type=submit]:enabled'],
  ] as const) {
    const { page, close } = await openPage(web.browser, origin)
    await page.goto(origin + path)
    await page.locator(stands).waitFor()
    await reachesAll(page)
    await close()
  }
})

browserTest('the keyboard alone joins, keeps the code, lends a link, and answers questions', async () => {
  const { page, problems, close } = await openPhone(web.browser, web.stack)
  await page.goto(`${web.origin}/me?lang=en`)
  await page.locator('.join [type=submit]:enabled').waitFor()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const press = async (name: string) => {
    await button(name).focus()
    await page.keyboard.press('Enter')
  }
  const hasFocus = (selector: string) => page.locator(`${selector}:focus`).waitFor()
  await page.locator('input[value=crowd]').focus()
  for (const _ of ['anonymous', 'named']) await page.keyboard.press('ArrowDown')
  await press('Agree and join')
  // What is missing is out of view on a phone: the focus brings it there, again at each try.
  await hasFocus('input[autocomplete=nickname]')
  await press('Agree and join')
  await hasFocus('input[autocomplete=nickname]')
  await page.keyboard.type('Amei')
  await page.keyboard.press('Enter')
  await page.locator('.code').waitFor()
  await press('I have kept it safe')
  await hasFocus('.check-in .button-main')

  await press('Make a link')
  await button('Take the link back').waitFor()
  await hasFocus('.family-link .steps .button:first-child')
  await press('Take the link back')
  await button('Make a link').waitFor()
  await hasFocus('.family-link [type=submit]')

  await press('Erase all my data')
  await hasFocus('[role=alertdialog] .button:first-child')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByText('Last question').waitFor()
  await hasFocus('[role=alertdialog] .button:first-child')
  await page.keyboard.press('Escape')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  await button('Erase all my data').and(page.locator(':focus')).waitFor()
  // What comes into view later would change the list of controls on the way.
  await page.reload()
  await page.locator('.my-track').scrollIntoViewIfNeeded()
  await page.getByText('No track yet').waitFor()
  await reachesAll(page)
  await press('Start recording')
  await button('Stop recording').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await button('Start recording').and(page.locator(':focus')).waitFor()
  expect(problems).toEqual([])
  await close()
})

browserTest('the arrow keys change between the map and its text', async () => {
  const origin = web.origin
  const { page, close } = await openPage(web.browser, origin)
  await page.goto(`${origin}/map`)
  await page.locator('#tab-map[aria-selected=true]').waitFor()
  await page.locator('#tab-map').focus()
  for (const [key, to] of [
    ['ArrowRight', 'text'],
    ['ArrowLeft', 'map'],
    ['ArrowLeft', 'text'],
  ] as const) {
    await page.keyboard.press(key)
    await page.locator(`#tab-${to}[aria-selected=true]:focus`).waitFor()
    await page.locator(`#panel-${to}`).waitFor()
  }
  await close()
})

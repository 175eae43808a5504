import { expect } from 'bun:test'
import { browserTest, evaluate, openPage } from './browser.ts'
import { appointPalanquin, DAJIA, palanquinAt, publishGuide } from './seed.ts'
import { webStack } from './web-stack.ts'

const web = webStack({}, async (web) => {
  await appointPalanquin(web.stack)
  await palanquinAt(web.stack, DAJIA)
  await publishGuide(web.stack)
})

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
    await close()
  }
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

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { evaluate } from './browser.ts'

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
type Violation = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }

/** Every violation that axe-core finds, best practices included, with the elements it is about. */
export async function violations(page: Page): Promise<string[]> {
  const found = await evaluate<Violation[]>(
    page,
    `(async () => { if (!window.axe) { ${source} }; return (await window.axe.run(document, { resultTypes: ['violations'] })).violations })()`,
  )
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  )
}

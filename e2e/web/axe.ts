import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { evaluate } from './browser.ts'

const source = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
type Violation = { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }

const RUN = `(async () => window.axe ? (await axe.run(document, { resultTypes: ['violations'] })).violations : null)()`

/** Every violation that axe-core finds, best practices included, with the elements it is about. */
export async function violations(page: Page): Promise<string[]> {
  let found = await evaluate<Violation[] | null>(page, RUN)
  // Its half a megabyte goes to a document once, and not with every run.
  while (found === null) {
    await evaluate(page, `{ ${source} }; undefined`)
    found = await evaluate<Violation[] | null>(page, RUN)
  }
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  )
}

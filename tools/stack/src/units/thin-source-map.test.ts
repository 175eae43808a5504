import { expect, test } from 'bun:test'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { thinMappings } from './thin-source-map.ts'

test('a map without the columns names the same file and line for every place, by a fraction of its mappings', async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'service-bundle.ts')],
    target: 'bun',
    sourcemap: 'external',
  })
  const [program = '', text = ''] = await Promise.all(outputs.map((output) => output.text()))
  const map = JSON.parse(text)
  const thinned = thinMappings(map.mappings)
  expect(thinned.split(/[,;]/).length).toBeLessThan(map.mappings.split(/[,;]/).length / 2)
  const full = new SourceMap(map)
  const thin = new SourceMap({ ...map, mappings: thinned })
  const lineOf = (of: SourceMap, line: number, column: number) => {
    const entry = of.findEntry(line, column)
    return 'originalLine' in entry ? `${entry.originalSource}:${entry.originalLine}` : 'none'
  }
  let named = 0
  for (const [line, written] of program.split('\n').entries())
    for (let column = written.search(/\S/); column >= 0 && column < written.length; column += 7) {
      const wanted = lineOf(full, line, column)
      if (wanted !== 'none') named++
      expect(lineOf(thin, line, column)).toBe(wanted)
    }
  expect(named).toBeGreaterThan(1_000)
})

import { expect, test } from 'bun:test'
import { Glob } from 'bun'

const sources = await Promise.all(
  [...new Glob('**/*.ts').scanSync(import.meta.dir)]
    .filter((name) => !name.endsWith('.test.ts'))
    .map(async (name) => ({ name, text: await Bun.file(`${import.meta.dir}/${name}`).text() })),
)

test('the domain imports typebox and itself, nothing else', () => {
  const imports = sources.flatMap(({ name, text }) =>
    [...text.matchAll(/\bfrom '([^']+)'/g)].map(([, from = '']) => ({ name, from })),
  )
  expect(imports.length).toBeGreaterThan(20)
  expect(imports.filter(({ from }) => !/^typebox(\/compile)?$/.test(from) && !/^\.\.?\//.test(from))).toEqual(
    [],
  )
})

test('the domain has no clock, no chance, no environment and no input or output', () => {
  const impure =
    /\bDate\.now\b|new Date\(\)|performance\.|Math\.random|\bprocess\.|\bBun\b|\bfetch\(|console\.|setTimeout/
  expect(sources.filter(({ text }) => impure.test(text)).map(({ name }) => name)).toEqual([])
})

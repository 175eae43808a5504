import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { createRenderer } from '../render/renderer.ts'
import { differenceOf } from './pictures.ts'
import { SAMPLES } from './samples.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const REFERENCES = join(import.meta.dir, 'references')
/** Differences are written there to be looked at; git ignores the folder. */
const DIFFERENCES = join(import.meta.dir, '../../../../../.palanquin/card-differences')
/** The palette of a reference costs up to 3.3 of 255 on average and 0.00002 of the pixels. */
const MEAN_MAX = 4
const VISIBLE_SHARE_MAX = 0.0003
const REFERENCES_BYTES_MAX = 2_000_000

let renderer: ReturnType<typeof createRenderer>
beforeAll(() => {
  renderer = createRenderer()
})

for (const { name, content } of SAMPLES)
  test(`${name} looks as it was approved`, async () => {
    const { png } = await renderer.render(content)
    const { mean, visibleShare, picture } = await differenceOf(
      png,
      readFileSync(join(REFERENCES, `${name}.png`)),
    )
    const looks = mean <= MEAN_MAX && visibleShare <= VISIBLE_SHARE_MAX
    if (!looks) {
      mkdirSync(DIFFERENCES, { recursive: true })
      writeFileSync(join(DIFFERENCES, `${name}.png`), await picture())
    }
    expect({ looks, mean, visibleShare, see: looks ? '' : join(DIFFERENCES, `${name}.png`) }).toMatchObject({
      looks: true,
      see: '',
    })
  })

test('a card with another figure or of another edition differs from the reference', async () => {
  const [sample] = SAMPLES.filter(({ name }) => name === 'level-3-zh-TW')
  if (!sample) throw new Error('no sample')
  const reference = readFileSync(join(REFERENCES, `${sample.name}.png`))
  for (const changed of [{ km: 67.8 }, { unlocked: true }, { name: '陳阿伯' }, { level: 4 }]) {
    const { png } = await renderer.render({ ...sample.content, ...changed })
    expect((await differenceOf(png, reference)).visibleShare).toBeGreaterThan(VISIBLE_SHARE_MAX)
  }
})

test('a name without a letter that can be drawn counts as none', async () => {
  const [sample] = SAMPLES
  if (!sample) throw new Error('no sample')
  const card = async (name: string | null) =>
    Buffer.from((await renderer.render({ ...sample.content, name })).png).toString('base64')
  const nameless = await card(null)
  expect(await card('བོད ཡིག')).toBe(nameless)
  expect(await card('林媽媽')).not.toBe(nameless)
})

test('there is one reference for every edition, and together they stay small', () => {
  const files = readdirSync(REFERENCES)
  expect(files.toSorted()).toEqual(SAMPLES.map(({ name }) => `${name}.png`).toSorted())
  expect(files.reduce((bytes, file) => bytes + statSync(join(REFERENCES, file)).size, 0)).toBeLessThan(
    REFERENCES_BYTES_MAX,
  )
})

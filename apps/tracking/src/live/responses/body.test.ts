import { expect, test } from 'bun:test'
import { until } from '@palanquin/testing/until'
import { createLiveCrowd } from '../../../test/live-crowd.ts'
import { buildBody } from './body.ts'
import { createBuffers } from './buffers.ts'
import { snapshotOf } from './selection.ts'

const PARTICIPANTS = 12_000

function bodies() {
  const view = createLiveCrowd(PARTICIPANTS)
  const given: Uint8Array[] = []
  const buffers = createBuffers()
  const counting = { ...buffers, give: (buffer: Uint8Array<ArrayBuffer>) => void given.push(buffer) }
  const build = () =>
    buildBody(counting, 'json', snapshotOf(view, { box: null, includeHidden: false }), {
      ...view,
      includeHidden: false,
    })
  return { build, given }
}
const unzipped = async (blob: Blob): Promise<Uint8Array> => Bun.gunzipSync(await blob.bytes())

test.each([
  ['plain first', ['plain', 'gzipped']],
  ['compressed first', ['gzipped', 'plain']],
] as const)(
  'a large body is the same plain and compressed, %s, and gives its buffer back once',
  async (_, order) => {
    const { build, given } = bodies()
    const body = build()
    expect(body.length).toBeGreaterThan(1_048_576)
    const found: Record<string, Uint8Array> = {}
    for (const kind of order)
      found[kind] = kind === 'plain' ? await body.plain().bytes() : await unzipped(await body.gzipped())
    expect(found.plain?.length).toBe(body.length)
    expect(Bun.SHA256.hash(found.plain ?? '', 'hex')).toBe(Bun.SHA256.hash(found.gzipped ?? '', 'hex'))
    expect(JSON.parse(new TextDecoder().decode(found.plain)).data.points).toHaveLength(PARTICIPANTS)
    body.release()
    await until(() => given.length > 0, { what: 'the buffer' })
    await Bun.sleep(0)
    expect(given).toHaveLength(1)
  },
)

test('a body that is released while it is compressed keeps its buffer until then', async () => {
  const { build, given } = bodies()
  const body = build()
  const compressing = body.gzipped()
  body.release()
  expect(given).toHaveLength(0)
  expect((await unzipped(await compressing)).length).toBe(body.length)
  await until(() => given.length === 1, { what: 'the buffer' })
})

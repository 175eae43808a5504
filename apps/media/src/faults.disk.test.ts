import { expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { onSmallDisk, smallDisk, whyNoSmallDisk } from '@palanquin/testing/small-disk'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import sharp from 'sharp'
import { cardHarness } from '../test/card-harness.ts'
import { imageHarness } from '../test/image-harness.ts'
import type { CardWorker } from './cards/render/card-pool.ts'
import { startThread } from './worker-pool/worker.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)
const full = test.skipIf(whyNoSmallDisk !== null)

const DISK_MB = 4
/** What a tmpfs gives at a time. */
const PAGE_BYTES = 4_096
const SIDE_PX = 160

/** An image that does not compress: about 77 kB. */
const noise = async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(SIDE_PX * SIDE_PX * 3).slice(0, 65_536))
  const raw = Buffer.concat([bytes, Buffer.alloc(SIDE_PX * SIDE_PX * 3 - bytes.length, 7)])
  return await sharp(raw, { raw: { width: SIDE_PX, height: SIDE_PX, channels: 3 } })
    .png()
    .toBuffer()
}

async function onDisk() {
  const disk = await smallDisk(DISK_MB)
  const folder = disk.subfolder('objects')
  const files = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
    )
  return { disk, folder, files }
}

full(
  onSmallDisk(
    'Disk of the objects full: an image is 503 with Retry-After, no row without its object, until there is space',
  ),
  async () => {
    const { disk, folder, files } = await onDisk()
    const harness = await imageHarness({ folder })
    const image = `data:image/png;base64,${(await noise()).toString('base64')}`
    const upload = () => harness.call('/feedback-upload', { json: { image } })
    const names = async () =>
      (await harness.sql<{ object_key: string }[]>`SELECT object_key FROM media.screenshots`).map(
        ({ object_key }) => object_key,
      )
    expect((await upload()).status).toBe(200)
    const pages = Math.ceil(statSync(files()[0] ?? '').size / PAGE_BYTES)
    // Space for nothing, and for a part of the object.
    for (const left of [0, Math.floor(pages / 2)]) {
      disk.fill({ leavingBytes: left * PAGE_BYTES })
      const refused = await upload()
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await names()).toHaveLength(1)
      disk.freeSpace()
    }
    expect((await upload()).status).toBe(200)
    expect((await harness.keys()).toSorted()).toEqual((await names()).toSorted())
    expect(files()).toHaveLength(2) // what was refused takes no space
    await harness.close()
    await disk.close()
  },
)

full(
  onSmallDisk(
    'Disk of the objects full: a card is 503 with Retry-After, stored ones are served, until there is space',
  ),
  async () => {
    const { disk, folder } = await onDisk()
    const quick = (): CardWorker => startThread(new URL('../test/faulty-card-worker.ts', import.meta.url))
    const harness = await cardHarness({ startThread: quick, folder })
    harness.profiles.set('known', {})
    harness.profiles.set('new', {})
    const rows = async () =>
      (await harness.sql<{ user_id: string }[]>`SELECT user_id FROM media.cards`).map(
        ({ user_id }) => user_id,
      )
    expect((await harness.call('/og/known.png')).status).toBe(200)
    disk.fill()
    const refused = await harness.call('/og/new.png')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await rows()).toEqual(['known'])
    expect((await harness.another().call('/og/known.png')).status).toBe(200) // from its disk
    disk.freeSpace()
    expect((await harness.call('/og/new.png')).status).toBe(200)
    expect((await harness.keys()).length).toBe(2)
    await harness.close()
    await disk.close()
  },
)

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { buildStage } from './image-step.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

const folder = mkdtempSync(join(tmpdir(), 'palanquin-image-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the pages are built by the Dockerfile’s own lines, from what the image has at that step', async () => {
  expect(await buildStage('web-build', folder)).toBe('')
  expect(existsSync(join(folder, 'app/apps/web/dist/manifest.json'))).toBe(true)
})

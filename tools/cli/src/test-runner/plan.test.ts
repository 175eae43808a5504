import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'
import { packageFolders, planOf } from './plan.ts'

/** What `bun test` takes for a test file. */
const TEST_FILE = /[._](?:test|spec)\.(?:[cm]?[jt]s|[jt]sx)$/
const folders = packageFolders()

test('the runner runs every test file on disk exactly once', () => {
  const onDisk = [...new Bun.Glob('**/*').scanSync({ cwd: PROJECT_ROOT })].filter(
    (file) => TEST_FILE.test(file) && !file.split('/').includes('node_modules'),
  )
  const planned = folders.flatMap((folder) => {
    const { alone, concurrent, e2e } = planOf(folder)
    return [...alone, ...concurrent, ...e2e].map((file) => join(folder, file))
  })
  expect(planned.toSorted()).toEqual(onDisk.toSorted())
})

test('no test script of a package selects files, so that its shared process runs all that are not alone', () => {
  for (const folder of folders) {
    const manifest: { scripts?: { test?: string } } = JSON.parse(
      readFileSync(join(PROJECT_ROOT, folder, 'package.json'), 'utf8'),
    )
    const { concurrent } = planOf(folder)
    if (concurrent.length > 0)
      expect({ folder, script: manifest.scripts?.test }).toEqual({
        folder,
        script: expect.stringMatching(/^bun test(?: --timeout \d+)?$/),
      })
  }
})

import { expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { readFile } from './documents.ts'
import { referencePages, settingTable } from './reference.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

test('docs/reference is what the code and .env.example say: bun run reference', async () => {
  for (const [file, text] of await referencePages()) expect(readFile(file)).toBe(text)
})

test('a setting has its value and its readers; one that no process reads is for what starts them', () => {
  const sample = '# All of\n# them.\n#BOTH=event\n#ONE=a|b\n#NONE=\n'
  const readers = new Map([
    ['gateway', ['BOTH', 'ONE', 'INNER']],
    ['map', ['BOTH']],
  ])
  expect(settingTable(sample, readers).split('\n').slice(2)).toEqual([
    '| `BOTH` | `event` | all |',
    '| `INNER` |  | gateway |',
    '| `NONE` |  | `./palanquin`, compose |',
    '| `ONE` | `a\\|b` | gateway |',
  ])
})

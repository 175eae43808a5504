import { expect, setDefaultTimeout, test } from 'bun:test'
import { TEST_TIMEOUT_MS } from '@palanquin/testing/timeout'
import { readFile } from './documents.ts'
import { referencePages, settingTables } from './reference.ts'

setDefaultTimeout(TEST_TIMEOUT_MS)

test('docs/reference is what the code and .env.example say: bun run reference', () => {
  for (const [file, text] of referencePages()) expect(readFile(file)).toBe(text)
})

test('the settings below one comment are one row', () => {
  const sample = `# All of\n# them.\n\n# ── The <event> ──\n# A path.\n#BRAND=event\n# Both.\n#ONE=a|b\n#TWO=\n`
  expect(settingTables(sample)).toBe(
    'All of them.\n\n## The \\<event>\n\n| Setting = default | Meaning |\n|---|---|\n| `BRAND=event` | A path. |\n| `ONE=a\\|b` `TWO=` | Both. |',
  )
})

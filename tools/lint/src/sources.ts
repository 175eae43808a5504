import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

/** `file` is from the project's folder. */
export type Source = { file: string; text: string }

/** Every source of the project that is no test; `*.cases.ts` are the tests of a file that imports them. */
export const readSources = (): Source[] =>
  ['{apps,packages,tools}/*/src/**/*.{ts,tsx}', 'e2e/**/*.{ts,tsx}']
    .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: PROJECT_ROOT })])
    .filter((file) => !/\.(?:test|cases)\.tsx?$/.test(file) && !file.includes('/node_modules/'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(PROJECT_ROOT, file), 'utf8') }))

/** The sources that run in production. */
export const productionSources = (): Source[] =>
  readSources().filter(({ file }) => /^(?:apps|packages)\/(?!testing\/)/.test(file))

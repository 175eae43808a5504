import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PROJECT_ROOT } from '@palanquin/stack/project'

/** A file that runs in production; `file` is from the project's folder. */
export type Source = { file: string; text: string }

/** The sources of every app and package, without their tests and the package for tests. */
export const productionSources = (): Source[] =>
  [...new Bun.Glob('{apps,packages}/*/src/**/*.ts').scanSync({ cwd: PROJECT_ROOT })]
    .filter((file) => !file.endsWith('.test.ts') && !file.startsWith('packages/testing/'))
    .sort()
    .map((file) => ({ file, text: readFileSync(join(PROJECT_ROOT, file), 'utf8') }))

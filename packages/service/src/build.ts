import manifest from '../package.json' with { type: 'json' }
import type { Environment } from './config.ts'

/** What runs: the version of the project, and the commit that it was built from. */
export type Build = { version: string; commit: string }

/** `BUILD_COMMIT` comes from the launcher or the image; `unknown` where neither could say. */
export const buildOf = ({ BUILD_COMMIT }: Environment): Build => ({
  version: manifest.version,
  commit: BUILD_COMMIT || 'unknown',
})

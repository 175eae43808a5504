import { fileURLToPath } from 'node:url'

/** The project's own folder: where package.json, bun.lock and .env are. */
export const PROJECT_ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

/** The launcher's own entry, as it stands on its command line. */
export const MAIN_FILE = fileURLToPath(new URL('main.ts', import.meta.url))

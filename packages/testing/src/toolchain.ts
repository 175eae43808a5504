import { fileURLToPath } from 'node:url'

/** A server that had to be fetched is kept here once, for all tests of this work tree; git ignores it. */
export const toolchainDir =
  process.env.TEST_TOOLCHAIN_DIR ?? fileURLToPath(new URL('../../../.palanquin/toolchain', import.meta.url))

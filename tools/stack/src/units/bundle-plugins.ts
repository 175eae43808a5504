import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Sources keep finding the files beside them (fonts, pages, worker scripts). */
export const keepSourcePaths: Bun.BunPlugin = {
  name: 'in place',
  setup: (build) => {
    build.onLoad({ filter: /\/(apps|packages|tools)\/[^/]+\/src\/.*\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8')
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dir', JSON.stringify(dirname(path))),
    }))
  },
}

/**
 * Each logger of pino asks at once where it was made, which only its transports use. To name that place Bun reads the source
 * map of the whole bundle, and keeps it: 7 to 10 MB of each process. It is read when there is an error to show.
 */
export const leaveSourceMapUnread: Bun.BunPlugin = {
  name: 'no callers of pino',
  setup: (build) => {
    build.onLoad({ filter: /\/pino\/lib\/caller\.js$/ }, () => ({
      loader: 'js',
      contents: 'module.exports = () => []',
    }))
  },
}

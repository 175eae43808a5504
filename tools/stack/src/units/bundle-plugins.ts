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

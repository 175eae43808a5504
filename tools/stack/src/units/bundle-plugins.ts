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

const NOT_FOUND = 'const notFound=new NotFoundError()'

/**
 * Where an error's stack is made, Bun reads the source map of the whole bundle and keeps it: 8 to 10 MB of each process. That
 * is to be when there is an error to show, and two libraries make a stack in every process: each logger of pino asks where it
 * was made, which only its transports use, and Elysia has one error for all paths that are not found.
 */
export const leaveSourceMapUnread: Bun.BunPlugin = {
  name: 'no stacks of libraries',
  setup: (build) => {
    build.onLoad({ filter: /\/pino\/lib\/caller\.js$/ }, () => ({
      loader: 'js',
      contents: 'module.exports = () => []',
    }))
    build.onLoad({ filter: /\/elysia\/dist\/.*\.m?js$/ }, ({ path }) => ({
      loader: 'js',
      contents: readFileSync(path, 'utf8').replaceAll(
        NOT_FOUND,
        `const stackTraceLimit=Error.stackTraceLimit\\nError.stackTraceLimit=0\\n${NOT_FOUND}\\nError.stackTraceLimit=stackTraceLimit`,
      ),
    }))
  },
}

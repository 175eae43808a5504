import { dirname, join } from 'node:path'
import type { Source } from './sources.ts'

const IMPORT = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'(\.{1,2}\/[^']+)'/g
const PACKAGE = /^(?:(?:apps|packages|tools)\/[^/]+(?:\/src)?|e2e)/

/**
 * Pairs of folders of one package that import each other, types included, as `apps/web/src: api, outbox`.
 * A package's own folder puts its modules together, so it takes part in no pair.
 */
export function mutualImports(sources: readonly Source[]): string[] {
  const edges = new Set<string>()
  for (const { file, text } of sources) {
    const owner = PACKAGE.exec(file)?.[0] ?? ''
    const from = dirname(file)
    for (const [, path = ''] of text.matchAll(IMPORT)) {
      const to = dirname(join(from, path))
      if (from !== to && from !== owner && to.startsWith(`${owner}/`))
        edges.add(edge({ owner, from: from.slice(owner.length + 1), to: to.slice(owner.length + 1) }))
    }
  }
  return [...edges].filter((pair) => pair < reverse(pair) && edges.has(reverse(pair))).sort()
}

const edge = ({ owner, from, to }: { owner: string; from: string; to: string }) => `${owner}: ${from}, ${to}`

const reverse = (pair: string) => pair.replace(/: (.*), (.*)$/, ': $2, $1')

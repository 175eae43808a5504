import { accessSync, constants } from 'node:fs'
import { resolve } from 'node:path'
import { LauncherError } from '../launcher-error.ts'
import { PROJECT_ROOT } from '../project.ts'
import type { Settings } from '../settings/settings.ts'

/**
 * @throws LauncherError when a configured certificate is incomplete: one of its two files is not named, or
 * unreadable
 */
export function assertCertificate({ TRUST_PROXY, TLS_CERT_FILE, TLS_KEY_FILE }: Settings): void {
  if (TRUST_PROXY) return
  if ((TLS_CERT_FILE === undefined) !== (TLS_KEY_FILE === undefined))
    throw new LauncherError('TLS_CERT_FILE and TLS_KEY_FILE belong together: set both, or neither.')
  for (const [name, file] of Object.entries({ TLS_CERT_FILE, TLS_KEY_FILE }))
    if (file !== undefined && !isReadable(resolve(PROJECT_ROOT, file)))
      throw new LauncherError(`${name}=${file}: there is no such file, or it cannot be read.`)
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false // not readable
  }
}

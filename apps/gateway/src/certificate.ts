import { readFileSync, statSync } from 'node:fs'
import type { Config } from './config.ts'

/** The certificate and key of the public port. @throws Error that says who may read a file that this process may not */
export const readCertificate = ({
  TLS_CERT_FILE,
  TLS_KEY_FILE,
}: Pick<Config, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>) => ({
  cert: readPem('TLS_CERT_FILE', TLS_CERT_FILE),
  key: readPem('TLS_KEY_FILE', TLS_KEY_FILE),
})

function readPem(name: string, file = ''): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `${name}=${file} cannot be read by user ${process.geteuid?.()}: ${ownerOf(file) ?? reason}`,
    )
  }
}

/** Undefined where not even that can be seen. */
function ownerOf(file: string): string | undefined {
  try {
    const { uid, mode } = statSync(file)
    return `it belongs to user ${uid} and has mode ${(mode & 0o777).toString(8)}`
  } catch {
    return undefined // missing, or in a folder that is closed to this user
  }
}

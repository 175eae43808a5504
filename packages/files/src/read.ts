import { readFileSync } from 'node:fs'

/** The text of a file, or undefined when there is no such file. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** The value of a JSON file; undefined for no file, and for no JSON (a power cut leaves zeros). */
export function readJsonIfThere(file: string): unknown {
  try {
    return JSON.parse(readIfThere(file) ?? 'null') ?? undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Whether a text is one line: a power cut leaves nothing, or zeros. */
export function isLine(text: string): boolean {
  const line = text.trim()
  return line !== '' && !/\p{Cc}/u.test(line)
}

/** Whether a system call failed with this code, `ENOENT` for instance. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

/**
 * `bun print-variables.ts <config.ts>` prints the names of the environment variables that a process reads,
 * as JSON: the keys of `VARIABLES` in its config module, and those of `BRANDED_VARIABLES` with the prefix
 * `<BRAND>_`. It runs by path, in its own process, so that the launcher imports no app.
 */
import { pathToFileURL } from 'node:url'

const [file = ''] = process.argv.slice(2)
const config: { VARIABLES?: object; BRANDED_VARIABLES?: readonly string[] } = await import(
  pathToFileURL(file).href
)
if (!config.VARIABLES) throw new Error(`${file} exports no VARIABLES.`)
const branded = (config.BRANDED_VARIABLES ?? []).map((name) => `<BRAND>_${name}`)
console.log(JSON.stringify([...Object.keys(config.VARIABLES), ...branded]))

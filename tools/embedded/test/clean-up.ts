import { rmSync } from 'node:fs'
import { isCode } from '../src/file.ts'
import { readProcesses } from '../src/process-table.ts'

// bun run clean-up.ts <folder>: waits until its standard input ends.
const [folder] = process.argv.slice(2)
await Bun.stdin.text()
if (!folder?.includes('palanquin-embedded-')) throw new Error('only folders of tests are removed')
for (const { pid, command } of readProcesses()) {
  if (pid === process.pid || !command.includes(folder)) continue
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!isCode(error, 'ESRCH')) throw error
  }
}
rmSync(folder, { recursive: true, force: true })

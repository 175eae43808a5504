import { commandFor, notRunningMessage } from '@palanquin/stack/command-text'
import { supervisorOf } from '@palanquin/stack/lifecycle/home-lock'
import { homeAt } from '@palanquin/stack/run-state/home'
import { statusOf } from '@palanquin/stack/run-state/status'
import { table } from '@palanquin/stack/table'
import { HOME_FLAG, homeFolder, readArguments } from '../arguments.ts'

/** `status`: what runs in a home. Exit 0 when all is well, 1 when something is not, 3 when nothing runs. */
export async function run(args: string[]): Promise<number> {
  const { values } = readArguments('status', args, { flags: HOME_FLAG })
  const home = homeAt(homeFolder(values.home))
  const rows = await statusOf(home)
  const supervisor = supervisorOf(home)
  if (!supervisor && rows.every((row) => row.pid === undefined)) {
    console.log(notRunningMessage(home))
    return 3
  }
  console.log(
    table(
      ['', 'process', 'uptime', 'address', 'health'],
      rows.map((row) => [row.name, row.pid?.toString() ?? '-', row.uptime, row.address, row.health]),
    ),
  )
  if (!supervisor)
    console.log(
      `\nThe launcher that started this was killed: nothing here is restarted when it ends. ${commandFor(home, 'restart')} takes over, ${commandFor(home, 'down')} stops it.`,
    )
  return supervisor && rows.every((row) => row.health === 'ok') ? 0 : 1
}

import { expect, test } from 'bun:test'
import { runLauncher } from '@palanquin/stack/testing/run-launcher'
import { helpOf, usage } from './help.ts'

const COMMANDS = [
  'up',
  'down',
  'status',
  'restart',
  'logs',
  'backup',
  'restore',
  'dead-letters',
  'demo',
  'test',
  'bench',
  'chaos',
]

test.each(COMMANDS)(
  'the help of %s says what it does and takes, and nothing about other commands',
  (command) => {
    const help = helpOf(command) ?? ''
    expect(help).toStartWith(`./palanquin ${command} `)
    expect(help).toContain('--home DIR')
    const named = COMMANDS.filter((other) => new RegExp(`^(?:\\./palanquin|) *${other} `, 'm').test(help))
    expect(named).toEqual([command])
    expect(help.length).toBeLessThan(usage().length / 2)
  },
)

test('the help of up has its flags', () => {
  expect(helpOf('up')).toMatch(/^ +--port N .*\n +--detach /m)
  expect(helpOf('up')).not.toContain('--walkers')
})

test('a command with --help prints its help and does nothing else', async () => {
  for (const args of [
    ['up', '--help'],
    ['up', '-h'],
    ['help', 'up'],
    ['up', '--port', '1', '--help'],
  ])
    expect(await runLauncher(...args)).toEqual({ code: 0, out: helpOf('up') ?? '' })
})

test('help without a command prints everything; help of an unknown command is one sentence', async () => {
  expect(await runLauncher('--help')).toEqual({ code: 0, out: usage() })
  for (const args of [['help', 'fly'], ['fly', '--help'], ['fly']])
    expect(await runLauncher(...args)).toEqual({
      code: 2,
      out: "There is no command 'fly'. ./palanquin help lists them.\n",
    })
})

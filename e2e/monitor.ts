import { until } from '@palanquin/testing/until'

/** A command received by Redis; `inside`: the commands executed by that script. */
export type ObservedCommand = { command: string[]; inside?: string[] }

const LINE = /^\+?\d+\.\d+ \[\d+ (\S+)\] (.*)$/

/** Every command that Redis receives while `work` runs, in order. */
export async function listenIn(redisUrl: string, work: () => Promise<void>): Promise<ObservedCommand[]> {
  const { hostname, port, password } = new URL(redisUrl)
  let text = ''
  const decoder = new TextDecoder()
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data: (_, bytes) => {
        text += decoder.decode(bytes, { stream: true })
      },
    },
  })
  try {
    socket.write(`AUTH ${decodeURIComponent(password)}\r\nMONITOR\r\n`)
    await until(() => text.startsWith('+OK\r\n+OK\r\n'), { what: 'MONITOR' })
    await work()
  } finally {
    socket.end()
  }
  const observed: ObservedCommand[] = []
  let script: string[] | undefined
  for (const line of text.split('\r\n')) {
    const [, from, words = ''] = LINE.exec(line) ?? []
    if (from === undefined) continue
    const command = [...words.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word = '']) => word)
    command[0] = command[0]?.toUpperCase() ?? ''
    if (from !== 'lua') {
      observed.push({ command })
      script = command[0].startsWith('EVAL') ? command : undefined
    } else if (script) observed.push({ command: script, inside: command })
  }
  return observed
}

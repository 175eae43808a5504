import { productionSources, type Source } from './sources.ts'

/** A line that a source logs; `event` and `message` are empty where they are not literals in their usual place. */
export type LogCall = { file: string; level: string; event: string; message: string }

const CALL = /log(?:\.(fatal|error|warn|info|debug|trace)|\[\w{1,40}\])\(/i
/** `<noun>.<past participle or state>`, words joined by `_`. */
const EVENT = /^\s*\{\s*event: '([a-z_]+(?:\.[a-z_]+)+)'/
const MESSAGE = /\},\s*(['"`])(.*?)\1/
/** A line that is put together by hand. */
const LINE = /level: '(\w+)'[^\n]{1,100} event: '([a-z_.]+)'[^\n]{1,40} msg: '([^']+)'/g

/** Every log call of the sources. */
export const logCalls = (sources: readonly Source[]): LogCall[] =>
  sources.flatMap(({ file, text }) => {
    const parts = text.split(CALL)
    const calls = parts.flatMap((level, at) => {
      if (at % 2 === 0) return []
      const rest = parts[at + 1] ?? ''
      const message = (MESSAGE.exec(rest)?.[2] ?? '').replace(/\$\{[^}]{1,200}\}/g, '…')
      return [{ file, level: level ?? 'varies', event: EVENT.exec(rest)?.[1] ?? '', message }]
    })
    const lines = text.matchAll(LINE)
    return [
      ...calls,
      ...[...lines].map(([, level = '', event = '', message = '']) => ({ file, level, event, message })),
    ]
  })

/** The log calls of what runs in production. */
export const productionCalls = (): LogCall[] => logCalls(productionSources())

import type { Found } from '../found.ts'
import { Unreadable } from '../unreadable.ts'
import { factsOf, isFacts } from './read.ts'

/** A recorder's line prefix: time and kind, separated by tabs. */
const RECORDER_PREFIX = /^\S+\t\S+\s*\t/
/** A message is some 500 bytes. */
const LINE_CHARACTERS_MAX = 65_536

/** A message of OwnTracks; others than locations are skipped. @returns whether it is one */
export function readMessage(value: unknown, found: Found): boolean {
  if (!isFacts(value) || typeof value._type !== 'string') return false
  if (value._type === 'location')
    found.add({
      lat: value.lat,
      lng: value.lon,
      time: value.tst,
      accuracy: value.acc,
      speed: value.vel, // km/h
      altitude: value.alt,
      heading: value.cog,
    })
  return true
}

/** Lines of a recorder (`.rec`) or of JSON; a broken line is a point without a place. @throws Unreadable */
export function readLines(texts: Iterable<string>, found: Found): void {
  let rest = ''
  let known = 0
  const read = (line: string) => {
    const text = line.replace(RECORDER_PREFIX, '').trim()
    if (text === '') return
    // Other kinds of a recorder's lines (`lwt`, `status`) are not always JSON.
    const message = parsed(text)
    if (readMessage(message, found)) known++
    else if (text.includes('"location"') && factsOf(message)._type === undefined) found.add({})
  }
  for (const piece of texts) {
    const lines = (rest + piece).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_CHARACTERS_MAX)
      throw new Unreadable('refused', 'This file has a line that has no end.')
    for (const line of lines) read(line)
  }
  read(rest)
  if (known === 0)
    throw new Unreadable(
      'unknown_format',
      'This file has lines of JSON, but none of them is a message of OwnTracks.',
    )
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no JSON, or nested without end
  }
}

import { SaxesParser } from 'saxes'
import { Unreadable } from '../unreadable.ts'

/** Recordings nest some ten deep. */
const DEPTH_MAX = 100
/** Of one tag, comment or text. Descriptions with pictures in them stay below. */
const PIECE_CHARACTERS_MAX = 4_194_304
/** What is kept of an element's text: no number, time or list of one point's numbers is longer. */
const TEXT_CHARACTERS_MAX = 256

export type Attributes = Readonly<Record<string, string>>
export type Element = {
  /** Without the prefix of its namespace. */
  name: string
  /** As written. */
  qualified: string
}
type Handlers = {
  open: (element: Element, attributes: Attributes) => void
  /** `text` is that of the element alone, trimmed, and cut at 256 characters. */
  close: (element: Element, text: string) => void
  /** Pieces of text as they come, for elements that are lists. */
  text?: (piece: string) => void
}

/** Reads XML as it comes, without document types and own entities. @throws Unreadable where not well-formed */
export function readXml(
  texts: Iterable<string>,
  { open, close, text: passOn }: Handlers,
): { root: string | undefined; incomplete: boolean } {
  const parser = new SaxesParser()
  let root: string | undefined
  let depth = 0
  let text = ''
  let isEnding = false
  let incomplete = false
  let silent = 0
  parser.on('error', ({ message }) => {
    if (!isEnding) throw new Unreadable('damaged', `This XML cannot be read: ${message}.`)
    incomplete = true
  })
  parser.on('doctype', () => {
    throw new Unreadable(
      'refused',
      'This XML has a document type (<!DOCTYPE …>). No recorder writes one: it is refused.',
    )
  })
  parser.on('opentag', ({ name, attributes }) => {
    silent = 0
    text = ''
    root ??= localName(name)
    if (++depth > DEPTH_MAX)
      throw new Unreadable(
        'refused',
        `This XML is nested more than ${DEPTH_MAX} deep. No recorder does that.`,
      )
    open({ name: localName(name), qualified: name }, attributes)
  })
  parser.on('closetag', ({ name }) => {
    silent = 0
    depth--
    close({ name: localName(name), qualified: name }, text.trim())
    text = ''
  })
  const take = (piece: string) => {
    silent = 0
    if (text.length < TEXT_CHARACTERS_MAX) text += piece.slice(0, TEXT_CHARACTERS_MAX)
    passOn?.(piece)
  }
  parser.on('text', take)
  parser.on('cdata', take)
  for (const chunk of texts) {
    silent += chunk.length
    if (silent > PIECE_CHARACTERS_MAX)
      throw new Unreadable('refused', 'This XML has one piece of text that has no end.')
    parser.write(chunk)
  }
  isEnding = true
  parser.close()
  return { root, incomplete }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

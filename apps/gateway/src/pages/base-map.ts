import { fstatSync, openSync, read, readSync } from 'node:fs'
import { promisify } from 'node:util'
import { ConfigurationError } from '@palanquin/service/config'
import { matchesEtag } from '@palanquin/service/http/etag'
import type { LocalRoute } from '../local-route.ts'
import type { PlainResponse } from '../response.ts'

const PATH = '/tiles/base.pmtiles'
/** A response has at most this much of the file: readers ask for a directory or a tile at a time. */
const RESPONSE_BYTES_MAX = 1_048_576
const MAGIC = 'PMTiles\u0003'
const HEADER_BYTES = 127
const TAG_CHARACTERS = 16
const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/

const readAt = promisify(read)

export type BaseMap = {
  route: LocalRoute
  /** Its path with its version: a cache keeps it for ever. */
  path: string
}

/**
 * A PMTiles file, read from disk by ranges. The file stays open: one that takes its place is served after a restart.
 * @throws ConfigurationError when there is no such file
 */
export function openBaseMap(file: string): BaseMap {
  const { descriptor, size, tag } = open(file)
  const headers = {
    'content-type': 'application/vnd.pmtiles',
    'cache-control': 'public, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
    etag: `"${tag}"`,
  }
  const bytesOf = async (from: number, to: number): Promise<Uint8Array<ArrayBuffer>> => {
    const bytes = new Uint8Array(to - from + 1)
    const { bytesRead } = await readAt(descriptor, bytes, 0, bytes.length, from)
    return bytes.subarray(0, bytesRead)
  }
  const respond = async (request: Request): Promise<PlainResponse> => {
    if (matchesEtag(request.headers.get('if-none-match'), headers.etag))
      return { status: 304, headers, body: null }
    // Range is for GET alone (RFC 9110, 14.2). The length is of the file, of which nothing is read.
    if (request.method === 'HEAD') return { status: 200, headers, body: Bun.file(file) }
    const range = rangeOf(request.headers, { etag: headers.etag, size })
    if (range === undefined && size <= RESPONSE_BYTES_MAX)
      return { status: 200, headers, body: await bytesOf(0, size - 1) }
    if (range === undefined || range === null)
      return {
        status: 416,
        headers: { 'content-range': `bytes */${size}`, 'accept-ranges': 'bytes' },
        body: null,
      }
    const to = Math.min(range.to, range.from + RESPONSE_BYTES_MAX - 1)
    const body = await bytesOf(range.from, to)
    return {
      status: 206,
      headers: { ...headers, 'content-range': `bytes ${range.from}-${to}/${size}` },
      body,
    }
  }
  return { route: { path: PATH, limit: 'pages', respond }, path: `${PATH}?v=${tag}` }
}

function open(file: string): { descriptor: number; size: number; tag: string } {
  let descriptor: number
  try {
    descriptor = openSync(file, 'r')
  } catch (error) {
    throw new ConfigurationError([`BASE_MAP: ${file} cannot be read: ${String(error)}`])
  }
  const { size, mtimeMs } = fstatSync(descriptor)
  const header = new Uint8Array(HEADER_BYTES)
  const length = readSync(descriptor, header, 0, HEADER_BYTES, 0)
  if (length < HEADER_BYTES || new TextDecoder().decode(header.subarray(0, MAGIC.length)) !== MAGIC)
    throw new ConfigurationError([`BASE_MAP: ${file} is not a PMTiles file of version 3`])
  const tag = new Bun.CryptoHasher('sha256').update(`${size} ${mtimeMs} `).update(header).digest('base64url')
  return { descriptor, size, tag: tag.slice(0, TAG_CHARACTERS) }
}

/** A single range; undefined where none is asked for, null where it cannot be given. */
function rangeOf(
  headers: Headers,
  { etag, size }: { etag: string; size: number },
): { from: number; to: number } | null | undefined {
  const asked = headers.get('range')
  if (asked === null || (headers.get('if-range') ?? etag) !== etag) return undefined
  const [, first = '', last = ''] = RANGE.exec(asked) ?? []
  if (first === '' && last === '') return null
  if (first === '')
    return Number(last) === 0 ? null : { from: Math.max(0, size - Number(last)), to: size - 1 }
  const from = Number(first)
  const to = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  return from <= to ? { from, to } : null
}

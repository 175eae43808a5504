import type { IncomingMessage } from 'node:http'
import type { Problem } from './problem.ts'

const KEY_BYTES_MAX = 1024 // S3's own limit
export type S3Request = {
  method: string
  /** The path, decoded once: `/bucket/a key`. */
  path: string
  query: [name: string, value: string][]
  headers: Map<string, string>
  bucket: string
  key: string
}

/** Parses a request from its raw target: a URL parser would resolve `..`, which in a key is only text. */
export function readRequest(
  message: Pick<IncomingMessage, 'method' | 'url' | 'headers'>,
): S3Request | Problem {
  const [rawPath = '', rawQuery = ''] = splitOnce(message.url ?? '', '?')
  const path = decode(rawPath)
  const query = readQuery(rawQuery)
  if (path === undefined || query === undefined || !path.startsWith('/')) return { problem: 'InvalidURI' }
  const [bucket, key] = splitOnce(path.slice(1), '/')
  const refused = judgeKey(key)
  return (
    refused ?? {
      method: message.method ?? '',
      path,
      query,
      headers: readHeaders(message.headers),
      bucket,
      key,
    }
  )
}

/** Why a key is invalid, or undefined. Control characters are not allowed in the XML of a listing. */
export function judgeKey(key: string): Problem | undefined {
  if (Buffer.byteLength(key) > KEY_BYTES_MAX) return { problem: 'KeyTooLongError' }
  return /\p{Cc}/u.test(key)
    ? { problem: 'InvalidArgument', detail: 'A key has no control characters.' }
    : undefined
}

/** The header, or the query parameter of that name: a presigned URL carries `x-amz-…` there. */
export function field(request: S3Request, name: string): string | undefined {
  return request.headers.get(name) ?? (name.startsWith('x-amz-') ? parameter(request, name) : undefined)
}

/** A query parameter by its name, in any case. */
export function parameter(request: S3Request, name: string): string | undefined {
  return request.query.find(([found]) => found.toLowerCase() === name)?.[1]
}

/** All fields that start so, `x-amz-meta-` for instance, by their lower-case names. */
export function fieldsStarting(request: S3Request, prefix: string): [name: string, value: string][] {
  const hoisted = request.query.map(([name, value]): [string, string] => [name.toLowerCase(), value])
  return [...hoisted, ...request.headers].filter(([name]) => name.startsWith(prefix))
}

/** Percent-decodes; undefined when the result is not UTF-8. */
export function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function readQuery(text: string): [string, string][] | undefined {
  const query: [string, string][] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const [name, value] = splitOnce(pair.replaceAll('+', ' '), '=').map(decode)
    if (name === undefined || value === undefined) return undefined
    query.push([name, value])
  }
  return query
}

function readHeaders(headers: IncomingMessage['headers']): Map<string, string> {
  const entries = Object.entries(headers)
  return new Map(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : (value ?? '')]),
  )
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

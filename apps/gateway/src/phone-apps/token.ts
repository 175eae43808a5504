import { type PhoneApp, phoneApp } from '@palanquin/domain/phone-apps'
import { type AppRequest, isJson } from '@palanquin/domain/phone-apps/request'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import { isWriteToken } from '@palanquin/service/write-token'

/** µlogger logs in once, and then sends this cookie. */
const COOKIE = 'palanquin_device'
/** It logs in again when the cookie is gone. */
const COOKIE_S = 365 * 24 * 3_600

type Sent = { app: PhoneApp; headers: Headers; request: AppRequest; fromPath: string | undefined }

/**
 * The write token of a request: the first of ours in the path, `Authorization`, the fields that the app has for an
 * identity, and `token` or `api_key`. Names of users and phones beside it say nothing. Undefined where there is none.
 */
export function tokenOf(tags: CredentialTags, sent: Sent): string | undefined {
  for (const given of candidates(sent)) if (given !== undefined && isWriteToken(tags, given)) return given
  return undefined
}

/** Whether anything was sent that is meant to be a token. */
export const namesToken = (sent: Sent): boolean => {
  for (const given of candidates(sent)) if (given !== undefined && given !== '') return true
  return false
}

function* candidates({ app, headers, request, fromPath }: Sent): Generator<string | undefined> {
  yield fromPath
  const authorization = headers.get('authorization') ?? ''
  yield /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  yield* basicOf(authorization)
  const { fields, json } = request
  for (const name of phoneApp(app).tokenFields) {
    yield fields.get(name)
    const value = isJson(json) ? json[name] : undefined
    if (typeof value === 'string') yield value
  }
  if (app === 'ulogger') yield cookieOf(headers)
  yield fields.get('token')
  yield fields.get('api_key')
}

/** The password; where it is empty, the user. */
function* basicOf(authorization: string): Generator<string | undefined> {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]{1,400}) *$/i.exec(authorization)?.[1]
  if (encoded === undefined) return
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const password = colon < 0 ? '' : text.slice(colon + 1)
  yield password === '' ? (colon < 0 ? text : text.slice(0, colon)) : password
}

const cookieOf = (headers: Headers): string | undefined =>
  (headers.get('cookie') ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${COOKIE}=`))
    ?.slice(COOKIE.length + 1)

/** What µlogger logs in with, for its next requests. */
export const loginCookie = (token: string): string =>
  `${COOKIE}=${token}; Path=/in/ulogger; Max-Age=${COOKIE_S}; Secure; HttpOnly; SameSite=Strict`

import { type GatewayInstance, json } from './gateway.ts'

export type SignedIn = {
  userId: string
  cookie: string
  recoveryCode?: string
  /** Of the stored session. */
  hash: string
  /** The headers of a write by a page of ours. */
  asPage: Record<string, string>
  body: Record<string, unknown>
}

/** The cookie that a response sets, as a browser sends it back; '' where it removes it, undefined where it sets none. */
export function cookieFrom(response: Response): string | undefined {
  const [pair = ''] = (response.headers.get('set-cookie') ?? '').split(';')
  if (pair === '') return undefined
  return pair.endsWith('=') ? '' : pair
}

/** Signs in by `POST /session`; throws unless that is 201. */
export async function signIn(
  gateway: Pick<GatewayInstance, 'call' | 'url'>,
  credentials: object,
  headers: Record<string, string> = {},
): Promise<SignedIn> {
  const response = await gateway.call('/api/event/session', json(credentials, headers))
  const { data }: { data: Record<string, unknown> } = JSON.parse(await response.text())
  const cookie = cookieFrom(response)
  if (response.status !== 201 || !cookie) throw new Error(`POST /session answered ${response.status}`)
  const token = cookie.slice(cookie.indexOf('=') + 1)
  return {
    userId: String(data.userId),
    cookie,
    ...(typeof data.recoveryCode === 'string' ? { recoveryCode: data.recoveryCode } : {}),
    hash: new Bun.CryptoHasher('sha256').update(token).digest('base64url'),
    asPage: { cookie, origin: gateway.url },
    body: data,
  }
}

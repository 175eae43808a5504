import { isPhoneApp, type PhoneApp } from '@palanquin/domain/phone-apps'

/** A path that phone apps send to; `route` is its name in logs and metrics, which must not have the token. */
export type PhoneAppPath = { pattern: string; route: string; target: (params: Found) => Target | undefined }
export type Target = { app: PhoneApp; token: string | undefined }
export type Found = Readonly<Record<string, string | undefined>>

const SEGMENT = /^[A-Za-z0-9_-]{1,64}$/

const named = ({ app = '', token }: Found): Target | undefined =>
  isPhoneApp(app) ? { app, token } : undefined
const ofUlogger = ({ token }: Found): Target => ({ app: 'ulogger', token })
/** `logPost`, `logPostMultiple`, and what else the app may log by; then its session, and the name of the phone. */
const ofPhonetrack = ({ action = '', token }: Found): Target | undefined =>
  action.startsWith('log') && SEGMENT.test(action) ? { app: 'phonetrack', token } : undefined

const PHONETRACK = '/in/phonetrack/index.php/apps/phonetrack'

/** The paths of `/in`. Those of µlogger and PhoneTrack are the paths of their own servers. */
export const PHONE_APP_PATHS: readonly PhoneAppPath[] = [
  { pattern: '/in/:app', route: '/in/{app}', target: named },
  { pattern: '/in/:app/:token', route: '/in/{app}/{token}', target: named },
  { pattern: '/in/ulogger/client/index.php', route: '/in/ulogger/client/index.php', target: ofUlogger },
  {
    pattern: '/in/ulogger/:token/client/index.php',
    route: '/in/ulogger/{token}/client/index.php',
    target: ofUlogger,
  },
  {
    pattern: `${PHONETRACK}/:action/:token`,
    route: `${PHONETRACK}/{action}/{token}`,
    target: ofPhonetrack,
  },
  {
    pattern: `${PHONETRACK}/:action/:token/:name`,
    route: `${PHONETRACK}/{action}/{token}/{name}`,
    target: ofPhonetrack,
  },
]

const SLASHED = /^https?:\/\/[^/]+(\/in\/\w{1,20})(?:\/(\w{1,64}))?\/(?:\?|$)/

/**
 * The path that somebody typed a slash too many of, with its parameters: the router does not know it, and its 404 would
 * delete points on some phones. Undefined for any other.
 */
export function slashedPath(url: string): { path: PhoneAppPath; params: Found } | undefined {
  const [, endpoint, token] = SLASHED.exec(url) ?? []
  if (endpoint === undefined) return undefined
  const route = token === undefined ? '/in/{app}' : '/in/{app}/{token}'
  const path = PHONE_APP_PATHS.find((one) => one.route === route)
  return path && { path, params: { app: endpoint.slice('/in/'.length), token } }
}

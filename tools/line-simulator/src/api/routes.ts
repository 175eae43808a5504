import { consumption, content, followers, info, profile, quota, transcoding } from './account.ts'
import type { Answer, Call } from './answer.ts'
import { authorize, certs, exchangeCode, verifyIdToken } from './login.ts'
import {
  clearDefaultMenu,
  createMenu,
  deleteMenu,
  downloadPicture,
  getDefaultMenu,
  getLinkedMenu,
  getMenu,
  linkMenu,
  listMenus,
  setDefaultMenu,
  unlinkMenu,
  uploadPicture,
  validateMenu,
} from './rich-menu.ts'
import {
  broadcast,
  loading,
  markAsRead,
  multicast,
  narrowcast,
  narrowcastProgress,
  push,
  reply,
  validate,
} from './send.ts'

/** `api` is api.line.me, `data` is api-data.line.me, and `login` needs no channel access token. */
export type Host = 'api' | 'data' | 'login'
export type Route = {
  method: string
  path: string
  host: Host
  /** What faults and rates call it. */
  endpoint: string
  handle: (call: Call) => Answer
}

const route = (
  method: string,
  path: string,
  host: Host,
  endpoint: string,
  handle: Route['handle'],
): Route => ({ method, path, host, endpoint, handle })
const MESSAGE = '/v2/bot/message'
const MENU = '/v2/bot/richmenu'

/** Every endpoint of this LINE; a fixed path stands before one with a parameter. */
export const ROUTES: readonly Route[] = [
  route('POST', `${MESSAGE}/reply`, 'api', 'reply', reply),
  route('POST', `${MESSAGE}/push`, 'api', 'push', push),
  route('POST', `${MESSAGE}/multicast`, 'api', 'multicast', multicast),
  route('POST', `${MESSAGE}/broadcast`, 'api', 'broadcast', broadcast),
  route('POST', `${MESSAGE}/narrowcast`, 'api', 'narrowcast', narrowcast),
  route('GET', `${MESSAGE}/progress/narrowcast`, 'api', 'narrowcast-progress', narrowcastProgress),
  ...['reply', 'push', 'multicast', 'broadcast', 'narrowcast'].map((way) =>
    route('POST', `${MESSAGE}/validate/${way}`, 'api', 'validate', validate),
  ),
  route('GET', `${MESSAGE}/quota`, 'api', 'quota', quota),
  route('GET', `${MESSAGE}/quota/consumption`, 'api', 'consumption', consumption),
  route('GET', `${MESSAGE}/{messageId}/content`, 'data', 'content', content),
  route('GET', `${MESSAGE}/{messageId}/content/preview`, 'data', 'content-preview', content),
  route('GET', `${MESSAGE}/{messageId}/content/transcoding`, 'data', 'transcoding', transcoding),
  route('GET', '/v2/bot/profile/{userId}', 'api', 'profile', profile),
  route('GET', '/v2/bot/followers/ids', 'api', 'followers', followers),
  route('GET', '/v2/bot/info', 'api', 'info', info),
  route('POST', '/v2/bot/chat/loading/start', 'api', 'loading', loading),
  route('POST', '/v2/bot/chat/markAsRead', 'api', 'mark-as-read', markAsRead),
  route('POST', MENU, 'api', 'richmenu-create', createMenu),
  route('POST', `${MENU}/validate`, 'api', 'richmenu-validate', validateMenu),
  route('GET', `${MENU}/list`, 'api', 'richmenu-list', listMenus),
  route('GET', `${MENU}/{richMenuId}`, 'api', 'richmenu', getMenu),
  route('DELETE', `${MENU}/{richMenuId}`, 'api', 'richmenu-delete', deleteMenu),
  route('POST', `${MENU}/{richMenuId}/content`, 'data', 'richmenu-upload', uploadPicture),
  route('GET', `${MENU}/{richMenuId}/content`, 'data', 'richmenu-download', downloadPicture),
  route('POST', '/v2/bot/user/all/richmenu/{richMenuId}', 'api', 'richmenu-default', setDefaultMenu),
  route('GET', '/v2/bot/user/all/richmenu', 'api', 'richmenu-default', getDefaultMenu),
  route('DELETE', '/v2/bot/user/all/richmenu', 'api', 'richmenu-default', clearDefaultMenu),
  route('POST', '/v2/bot/user/{userId}/richmenu/{richMenuId}', 'api', 'richmenu-link', linkMenu),
  route('GET', '/v2/bot/user/{userId}/richmenu', 'api', 'richmenu-link', getLinkedMenu),
  route('DELETE', '/v2/bot/user/{userId}/richmenu', 'api', 'richmenu-link', unlinkMenu),
  route('POST', '/oauth2/v2.1/verify', 'login', 'verify', verifyIdToken),
  route('GET', '/oauth2/v2.1/certs', 'login', 'certs', certs),
  route('GET', '/oauth2/v2.1/authorize', 'login', 'authorize', authorize),
  route('POST', '/oauth2/v2.1/token', 'login', 'token', exchangeCode),
]

/** The parameters of a path that fits; undefined when it does not. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const [expected, input] = [pattern.split('/'), path.split('/')]
  if (expected.length !== input.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const value = input[index] ?? ''
    if (part.startsWith('{')) params[part.slice(1, -1)] = value
    else if (part !== value) return undefined
  }
  return params
}

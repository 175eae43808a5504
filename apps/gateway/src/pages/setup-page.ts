import type { LocalRoute } from '../local-route.ts'
import type { FilledPage } from './filled-page.ts'

/** The address is a secret: nothing keeps the page, and no link from it reveals it. */
const HEADERS = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

/**
 * `/setup/<code>`: how a phone app is set up; `/setup` says where such a link is made. The page itself asks what has become
 * of the code, so that a preview of the link in a chat opens nothing.
 */
export const setupPages = (page: FilledPage): LocalRoute[] =>
  ['/setup', '/setup/:code'].map((path) => ({
    path,
    limit: 'pages',
    respond: (request) => page(request, { headers: HEADERS }),
  }))

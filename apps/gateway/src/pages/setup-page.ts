import type { LocalRoute } from '../local-route.ts'
import type { Asset } from '../prebuilt/asset.ts'
import { assetRoute } from './asset-route.ts'

/**
 * `/setup/<code>`: how a phone app is set up; `/setup` says where such a link is made. The page itself asks what has become
 * of the code, so that a preview of the link in a chat opens nothing.
 */
export const setupPages = (pageFor: (request: Request) => Asset): LocalRoute[] =>
  ['/setup', '/setup/:code'].map((path) => assetRoute(path, pageFor))

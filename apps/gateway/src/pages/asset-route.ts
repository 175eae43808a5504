import type { LocalRoute } from '../local-route.ts'
import type { Asset } from '../prebuilt/asset.ts'

/** A path that answers with one of several assets, counted as a page. */
export const assetRoute = (path: string, assetFor: (request: Request) => Asset): LocalRoute => ({
  path,
  limit: 'pages',
  respond: (request) => assetFor(request).respond(request.headers),
  prebuilt: (request) => assetFor(request).prebuilt(request.headers),
})

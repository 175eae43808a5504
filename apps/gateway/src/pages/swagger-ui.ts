import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { LocalRoute } from '../local-route.ts'
import { Asset } from '../prebuilt/asset.ts'

/** Everything comes from this origin; swagger-ui sets styles on elements and uses data: images. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Palanquin: the API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`
const START = `SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  validatorUrl: null,
})
`
/** The only files of swagger-ui that are served. */
const ASSETS = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
}

/** `/docs`: swagger-ui with the document, from local files alone. */
export function swaggerUiRoutes(): LocalRoute[] {
  const folder = dirname(Bun.resolveSync('swagger-ui-dist/package.json', import.meta.dir))
  const files = Object.entries(ASSETS).map(([name, type]) =>
    served(`/docs/${name}`, readFileSync(join(folder, name)), {
      'content-type': type,
      'cache-control': 'public, max-age=86400',
    }),
  )
  return [
    served('/docs', PAGE, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' }),
    served('/docs/start.js', START, {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'no-cache',
    }),
    ...files,
  ]
}

function served(
  path: string,
  content: string | Uint8Array<ArrayBuffer>,
  headers: { 'content-type': string; 'cache-control': string },
): LocalRoute {
  const asset = new Asset(content, { ...headers, 'content-security-policy': POLICY })
  return { path, respond: (request) => asset.respond(request.headers) }
}

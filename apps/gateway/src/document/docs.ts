import { dirname, join } from 'node:path'
import type { Answer } from '../answer.ts'
import type { OwnRoute } from '../app.ts'

/** Everything from this origin; swagger-ui sets styles on elements and draws with data: images. */
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

/** `/docs`: a page to browse the document and try it, out of local files alone. */
export function docsRoutes(): OwnRoute[] {
  const folder = dirname(Bun.resolveSync('swagger-ui-dist/package.json', import.meta.dir))
  const assets = Object.entries(ASSETS).map(([name, type]) => ({
    path: `/docs/${name}`,
    answer: () => served(Bun.file(join(folder, name)), type, 'public, max-age=86400'),
  }))
  return [
    { path: '/docs', answer: () => served(PAGE, 'text/html; charset=utf-8', 'no-cache') },
    { path: '/docs/start.js', answer: () => served(START, 'text/javascript; charset=utf-8', 'no-cache') },
    ...assets,
  ]
}

const served = (body: string | Blob, type: string, caching: string): Answer => ({
  status: 200,
  headers: { 'content-type': type, 'cache-control': caching, 'content-security-policy': POLICY },
  body,
})

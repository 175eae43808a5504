import { fileURLToPath } from 'node:url'

/** Another than the pages of the app, as at LINE. */
export const LIFF_SDK_PATH = '/liff-sdk.js'

/** The stand-in for LINE's script. */
export const liffSdk = (): Response =>
  new Response(Bun.file(fileURLToPath(new URL('sdk.js', import.meta.url))), {
    headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' },
  })

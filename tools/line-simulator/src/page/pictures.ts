import type { Platform } from '../platform.ts'
import type { Target } from '../webhook-sender.ts'

const FETCH_TIMEOUT_MS = 10_000

/** A picture that a user sent. */
export function contentPicture(platform: Platform, messageId: string): Response {
  const content = platform.contents.find(messageId)
  return typeof content === 'object' ? image(content.bytes, content.contentType) : placeholder('gone')
}

/** A rich menu's picture. */
export function menuPicture(platform: Platform, richMenuId: string): Response {
  const picture = platform.richMenus.find(richMenuId)?.picture
  return picture ? image(picture.bytes, picture.contentType) : placeholder('no picture')
}

/** A picture that the bot named. */
export async function gatewayPicture(url: string, target: Target | undefined): Promise<Response> {
  const isOurs = target && URL.canParse(url) && new URL(url).origin === new URL(target.url).origin
  if (!isOurs) return placeholder('elsewhere')
  try {
    const answer = await fetch(url, {
      headers: target.headers ?? {},
      redirect: 'manual',
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
      ...(target.ca === undefined ? {} : { tls: { ca: target.ca } }),
    })
    const type = answer.headers.get('content-type') ?? ''
    return answer.ok
      ? image(new Uint8Array(await answer.arrayBuffer()), type)
      : placeholder(`answered ${answer.status}`)
  } catch (error) {
    return placeholder(error instanceof Error ? error.message : 'not there')
  }
}

const image = (bytes: Uint8Array<ArrayBuffer>, type: string): Response =>
  /^image\/(png|jpeg|gif|webp)/.test(type)
    ? new Response(bytes, { headers: { 'content-type': type } })
    : placeholder('not a picture')

const placeholder = (why: string): Response =>
  new Response(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 120"><rect width="240" height="120" fill="#ccd3dd"/><text x="120" y="66" text-anchor="middle" font-size="14" fill="#445">${why.replace(/[^\w .-]/g, ' ').slice(0, 40)}</text></svg>`,
    { headers: { 'content-type': 'image/svg+xml' } },
  )

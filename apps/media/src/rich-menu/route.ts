import type { Language } from '@palanquin/domain/language'
import { Language as LanguageSchema } from '@palanquin/domain/participant'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { text } from '@palanquin/service/http/standard-schema'
import { Elysia } from 'elysia'
import Type from 'typebox'
import { startThread } from '../worker-pool/worker.ts'

type MenuImage = Uint8Array<ArrayBuffer>

/** Ten times what an idle core takes. */
const RENDER_MS_MAX = 20_000

/** The images of the rich menu, each rendered with the first request in a thread of its own. */
export function createMenus({ renderMsMax = RENDER_MS_MAX }: { renderMsMax?: number } = {}) {
  const rendered = new Map<Language, Promise<MenuImage>>()
  return {
    /** @throws StoreUnavailable when it cannot be rendered now */
    imageOf: (language: Language): Promise<MenuImage> => {
      const known = rendered.get(language)
      if (known) return known
      const image = renderInThread(language, renderMsMax)
      rendered.set(language, image)
      image.catch(() => rendered.delete(language))
      return image
    },
  }
}

type Menus = ReturnType<typeof createMenus>

async function renderInThread(language: Language, renderMsMax: number): Promise<MenuImage> {
  const thread = startThread<Language, MenuImage>(new URL('./thread.ts', import.meta.url))
  const run = await thread.run(language, renderMsMax)
  thread.end()
  if ('reply' in run) return run.reply
  throw new StoreUnavailable('renderer', new Error(run.reason))
}

/** `GET /internal/rich-menu/{language}`, for the LINE bot. */
export const menuRoutes = (menus: Menus = createMenus()) =>
  new Elysia({ name: 'rich-menu' }).get(
    '/internal/rich-menu/:language',
    async ({ params: { language } }) =>
      new Response(await menus.imageOf(language), { headers: { 'content-type': 'image/png' } }),
    { params: text(Type.Object({ language: LanguageSchema })), detail: { hide: true } },
  )

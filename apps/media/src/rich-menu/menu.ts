import type { Language } from '@palanquin/domain/language'
import { StoreUnavailable } from '@palanquin/service/http/api-error'
import { startThread } from '../worker-pool/worker.ts'

type MenuImage = Uint8Array<ArrayBuffer>

/** Ten times what an idle core takes. */
const RENDER_MS_MAX = 20_000

/** The images of the rich menu by language, each rendered with the first request for it, in a thread of its own. */
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

export type Menus = ReturnType<typeof createMenus>

async function renderInThread(language: Language, renderMsMax: number): Promise<MenuImage> {
  const thread = startThread<Language, MenuImage>(new URL('./thread.ts', import.meta.url))
  const run = await thread.run(language, renderMsMax)
  thread.end()
  if ('reply' in run) return run.reply
  throw new StoreUnavailable('renderer', new Error(run.reason))
}

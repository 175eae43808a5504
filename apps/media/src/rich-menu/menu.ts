import type { Language } from '@palanquin/domain/participant'
import { StoreUnavailable } from '@palanquin/service/http/api-error'

/** Two seconds on a slow core that others want too. */
const DRAW_MS_MAX = 20_000

type Drawn = { png: Uint8Array<ArrayBuffer> } | { error: string }

/** The pictures of the rich menu by language, each drawn when it is first asked for, in a thread of its own. */
export function createMenus({ drawMsMax = DRAW_MS_MAX }: { drawMsMax?: number } = {}) {
  const drawn = new Map<Language, Promise<Uint8Array<ArrayBuffer>>>()
  return {
    /** @throws StoreUnavailable when it cannot be drawn now */
    pictureOf: (language: Language): Promise<Uint8Array<ArrayBuffer>> => {
      const known = drawn.get(language)
      if (known) return known
      const picture = drawInThread(language, drawMsMax)
      drawn.set(language, picture)
      picture.catch(() => drawn.delete(language))
      return picture
    },
  }
}

export type Menus = ReturnType<typeof createMenus>

function drawInThread(language: Language, drawMsMax: number): Promise<Uint8Array<ArrayBuffer>> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url))
  return new Promise<Uint8Array<ArrayBuffer>>((resolve, reject) => {
    const fail = (reason: string) => reject(new StoreUnavailable('renderer', new Error(reason)))
    const timer = setTimeout(() => fail('the thread did not answer'), drawMsMax)
    worker.onmessage = ({ data }: MessageEvent<Drawn>) => {
      clearTimeout(timer)
      if ('png' in data) resolve(data.png)
      else fail(data.error)
    }
    worker.onerror = (event) => {
      clearTimeout(timer)
      fail(event.message)
    }
    worker.postMessage(language)
  }).finally(() => worker.terminate())
}

import type { Language } from '@palanquin/domain/participant'
import { drawMenu } from './draw.ts'

declare const self: Worker

/** A second of drawing, away from the requests of others. */
self.onmessage = ({ data }: MessageEvent<Language>) => {
  drawMenu(data).then(
    (png) => self.postMessage({ png }, [png.buffer]),
    (error: unknown) => self.postMessage({ error: String(error) }),
  )
}

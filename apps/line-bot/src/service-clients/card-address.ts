import { withoutTrailingSlash } from '@palanquin/service/base-url'
import type { Media } from './media.ts'

/** LINE keeps a picture by its address: `version` makes it new where the card may have changed. */
export type CardAddress = (
  userId: string,
  card: { version: string; requestId: string },
) => Promise<string | null>

/** Public https addresses of cards, without the userId; null where there is none. @throws StoreUnavailable */
export const cardAddresses =
  ({ media, baseUrl }: { media: Pick<Media, 'shareId'>; baseUrl: () => string | undefined }): CardAddress =>
  async (userId, { version, requestId }) => {
    const address = baseUrl()
    return address?.startsWith('https://')
      ? `${withoutTrailingSlash(address)}/c/${await media.shareId(userId, requestId)}.png?v=${version}`
      : null
  }

import { fetchInTime } from '../../api/fetch-in-time.ts'
/** What became of it; `dismissed`: the person closed the phone's own dialogue. */
export type Shared = 'shared' | 'copied' | 'dismissed' | 'failed'

/** Shares the card: the picture as a file, else the link by the phone's dialogue, else the link copied. */
export async function shareCard({
  title,
  path,
  picture,
}: {
  title: string
  path: string
  picture: string
}): Promise<Shared> {
  const url = new URL(path, location.origin).href
  const file = await pictureFile(picture)
  try {
    if (file !== null && navigator.canShare?.({ files: [file] })) {
      await navigator.share({ files: [file], title, text: url })
      return 'shared'
    }
    if (typeof navigator.share === 'function') {
      await navigator.share({ title, url })
      return 'shared'
    }
    await navigator.clipboard.writeText(url)
    return 'copied'
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError' ? 'dismissed' : 'failed'
  }
}

/** Null where it cannot be loaded: then the link alone is shared. */
async function pictureFile(picture: string): Promise<File | null> {
  try {
    const response = await fetchInTime(picture)
    return response.ok ? new File([await response.blob()], 'card.png', { type: 'image/png' }) : null
  } catch {
    return null // fetch says no more than that nothing came back
  }
}

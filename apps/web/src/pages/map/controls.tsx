import { useState } from 'preact/hooks'
import { useTexts } from '../../parts/context.ts'
import { Icon } from '../../parts/icon.tsx'
import type { OwnPosition } from './own-position.ts'

/** What a reader can do with the map: follow the palanquin, see where they are, pass the map on. */
export function Controls({
  own,
  following,
  setFollowing,
  hasPalanquin,
}: {
  own: OwnPosition
  following: boolean
  setFollowing: (on: boolean) => void
  hasPalanquin: boolean
}) {
  const { texts } = useTexts()
  const [copied, setCopied] = useState(false)
  const share = async () => {
    const url = `${location.origin}/map`
    try {
      if (navigator.share) await navigator.share({ title: document.title, url })
      else {
        await navigator.clipboard.writeText(url)
        setCopied(true)
      }
    } catch (error) {
      if (!(error instanceof DOMException && error.name === 'AbortError')) throw error // the person closed the sheet
    }
  }
  return (
    <section class="controls">
      {hasPalanquin && (
        <button
          type="button"
          class="button"
          aria-pressed={following}
          onClick={() => setFollowing(!following)}
        >
          <Icon name="follow" /> {following ? texts.following : texts.follow}
        </button>
      )}
      <button type="button" class="button" aria-pressed={own.watching} onClick={own.toggle}>
        <Icon name="locate" /> {own.watching ? texts.hideMe : texts.whereAmI}
      </button>
      <button type="button" class="button" onClick={() => void share()}>
        <Icon name="share" /> {copied ? texts.linkCopied : texts.share}
      </button>
      {own.denied ? (
        <p role="status">{texts.meDenied}</p>
      ) : (
        own.watching && <p class="small">{texts.mePrivate}</p>
      )}
    </section>
  )
}

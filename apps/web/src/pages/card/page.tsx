import { useState } from 'preact/hooks'
import { useTexts } from '../../parts/context.ts'
import { Foot, Shell } from '../../parts/shell.tsx'
import { cardFacts } from './facts.ts'
import { type Shared, shareCard } from './share.ts'

/** Cards are 1200 × 630. */
const WIDTH = 1200
const HEIGHT = 630

/** Somebody's share card, with the way to hand it on. */
export function CardPage() {
  const { language, texts } = useTexts()
  const [{ title, description, path }] = useState(cardFacts)
  const [shared, setShared] = useState<Shared | null>(null)
  const picture = `${path}.png`
  return (
    <Shell page="card">
      <h1>{title}</h1>
      <figure class="share-card">
        <img src={picture} width={WIDTH} height={HEIGHT} alt={description} />
        <figcaption>{description}</figcaption>
      </figure>
      <div class="actions">
        <button
          type="button"
          class="button button-main"
          onClick={() => void shareCard({ title, path, picture }).then(setShared)}
        >
          {texts.cardShare}
        </button>
        <a class="button" href={picture} download="card.png">
          {texts.cardSave}
        </a>
        <a class="button" href={`/map?lang=${language}`}>
          {texts.openMap}
        </a>
      </div>
      <p role="status" class="small">
        {shared === 'copied' ? texts.cardCopied : shared === 'failed' ? texts.cardNotShared : ''}
      </p>
      <Foot />
    </Shell>
  )
}

import { useMeTexts } from '../../i18n/me/texts.ts'
import { useTexts } from '../../parts/context.ts'

/** Nothing was made and nothing sent. */
export function Declined({ onAgain }: { onAgain: () => void }) {
  const { language, texts } = useTexts()
  const { me } = useMeTexts()
  return (
    <section class="banner" role="status">
      <p>{me.declined}</p>
      <div class="steps">
        <button type="button" class="button" onClick={onAgain}>
          {me.askAgain}
        </button>
        <a class="button" href={`/map?lang=${language}`}>
          {texts.openMap}
        </a>
      </div>
    </section>
  )
}

import { useTexts } from '../../parts/context.ts'
import { Shell } from '../../parts/shell.tsx'

/** What a family link shows once it has ended or was taken back. */
export function ShareEndedPage() {
  const { language, texts } = useTexts()
  return (
    <Shell page="share-ended">
      <h1>{texts.shareEndedTitle}</h1>
      <p>{texts.shareEndedBody}</p>
      <p>
        <a class="button" href={`/map?lang=${language}`}>
          {texts.openMap}
        </a>
      </p>
    </Shell>
  )
}

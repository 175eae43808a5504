import { useTexts } from '../../parts/context.ts'
import { EmergencyCalls } from '../../parts/emergency.tsx'
import { Foot, Shell } from '../../parts/shell.tsx'

/** What to do when somebody is missing: emergency calls first. */
export function LostPage() {
  const { language, texts } = useTexts()
  return (
    <Shell page="lost">
      <h1>{texts.lostTitle}</h1>
      <EmergencyCalls />
      <p>{texts.lostBody}</p>
      <p>
        <a class="button" href={`/map?lang=${language}`}>
          {texts.lostPlaces}
        </a>
      </p>
      <Foot />
    </Shell>
  )
}

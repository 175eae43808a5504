import { useTexts } from '../../parts/context.ts'
import { EmergencyCalls } from '../../parts/emergency.tsx'
import { Foot, Shell } from '../../parts/shell.tsx'

/** What to do when somebody is found who has lost their people: emergency calls first. */
export function FoundPage() {
  const { language, texts } = useTexts()
  return (
    <Shell page="found">
      <h1>{texts.foundTitle}</h1>
      <EmergencyCalls />
      <p>{texts.foundBody}</p>
      <p>
        <a class="button" href={`/map?lang=${language}`}>
          {texts.lostPlaces}
        </a>
      </p>
      <Foot />
    </Shell>
  )
}

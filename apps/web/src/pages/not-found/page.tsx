import { useTexts } from '../../parts/context.ts'
import { Shell } from '../../parts/shell.tsx'

export function NotFoundPage() {
  const { language, texts } = useTexts()
  return (
    <Shell page="not-found">
      <h1>{texts.notFoundTitle}</h1>
      <p>{texts.notFoundBody}</p>
      <p>
        <a class="button" href={`/map?lang=${language}`}>
          {texts.backToMap}
        </a>
      </p>
    </Shell>
  )
}

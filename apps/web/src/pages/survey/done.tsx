import type { Carbon } from '@palanquin/domain/carbon'
import { fill } from '@palanquin/domain/fill-text'
import { useTexts } from '../../parts/context.ts'

/** The survey has arrived: the carbon of this person, and the way to change the answers. */
export function Done({ carbon: { totalKg, avoidedKg }, again }: { carbon: Carbon; again: () => void }) {
  const { language, texts } = useTexts()
  const kg = (value: number) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(value)
  return (
    <section class="banner banner-done" role="status">
      <h2>{texts.surveyThanks}</h2>
      <h3>{texts.surveyCarbon}</h3>
      <p class="figure">{fill(texts.carbonEmitted, { kg: kg(totalKg) })}</p>
      {avoidedKg > 0 && <p>{fill(texts.carbonSaved, { kg: kg(avoidedKg) })}</p>}
      <a class="button" href={`/me?lang=${language}`}>
        {texts.myWalk}
      </a>
      <button type="button" class="button" onClick={again}>
        {texts.surveyAgain}
      </button>
    </section>
  )
}

import { ACHIEVEMENT_CHECKINS_MIN } from '@palanquin/domain/achievement'
import { fill } from '@palanquin/domain/fill-text'
import { inLanguage } from '@palanquin/domain/language'
import type { Profile } from '@palanquin/domain/participant'
import { counted } from '../../i18n/counted.ts'
import { type MeTexts, useMeTexts } from '../../i18n/me/texts.ts'
import { Icon } from '../../parts/icon.tsx'

/** My level, kilometres, check-ins, carbon, and how far the next level is. */
export function Progress({ profile, isOver }: { profile: Profile; isOver: boolean }) {
  const { language, me } = useMeTexts()
  const number = (value: number, digits = 1) =>
    new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value)
  const { level, distanceKm, walkedKm, checkins, photos, carbon } = profile
  return (
    <section class="progress-card">
      {level === null ? (
        <p class="level-title">{me.levelNone}</p>
      ) : (
        <>
          <p class="level-title">
            <span class="level-icon" aria-hidden="true">
              {level.icon}
            </span>{' '}
            {inLanguage(language, { zh: level.nameZh, en: level.nameEn })}
          </p>
          <p>{fill(me.level, { n: level.level })}</p>
          {level.next === null && <p>{me.levelTop}</p>}
          {level.next !== null && !isOver && (
            <p>{fill(me.levelNext, { what: missingForLevel(me, level.next, number) })}</p>
          )}
        </>
      )}
      <dl class="figures">
        <Figure
          value={number(distanceKm, 2)}
          unit={me.km}
          hint={fill(me.kmWalked, { km: number(walkedKm, 2) })}
        />
        <Figure value={number(checkins)} unit={counted(checkins, me.checkins)} />
        {photos > 0 && <Figure value={number(photos)} unit={counted(photos, me.photos)} />}
        <Figure value={number(carbon.avoidedKg, 2)} unit={me.carbonAvoided} />
      </dl>
    </section>
  )
}

function Figure({ value, unit, hint }: { value: string; unit: string; hint?: string }) {
  return (
    <div>
      <dt>{unit}</dt>
      <dd class="figure">{value}</dd>
      {hint !== undefined && <dd class="small">{hint}</dd>}
    </div>
  )
}

function missingForLevel(
  me: MeTexts,
  { kmToGo, checkinsToGo }: { kmToGo: number; checkinsToGo: number },
  number: (value: number, digits?: number) => string,
): string {
  const parts = [
    ...(kmToGo > 0 ? [fill(me.kmToGo, { km: number(kmToGo, 2) })] : []),
    ...(checkinsToGo > 0 ? [counted(checkinsToGo, me.checkinsToGo)] : []),
  ]
  return parts.join(me.and)
}

/** What the achievement card still takes, with the way to each. */
export function Achievement({ profile, surveyOpen }: { profile: Profile; surveyOpen: boolean }) {
  const { language, me } = useMeTexts()
  const { unlocked, missing } = profile.achievement
  const checkins = counted(ACHIEVEMENT_CHECKINS_MIN - profile.checkins, me.missingCheckins)
  const words = { checkins, survey: me.missingSurvey, phone: me.missingPhone }
  return (
    <section>
      <h2>{me.achievement}</h2>
      {unlocked ? (
        <p class="banner banner-done">
          <Icon name="lantern" /> {me.achievementDone}
        </p>
      ) : (
        <>
          <p>{me.achievementMissing}</p>
          <ul class="missing">
            {missing.map((need) => (
              <li key={need}>{words[need]}</li>
            ))}
          </ul>
        </>
      )}
      {surveyOpen && (
        <a class="button" href={`/survey?lang=${language}`}>
          <Icon name="heart" /> {profile.surveyCompleted === 1 ? me.surveyDone : me.survey}
        </a>
      )}
    </section>
  )
}

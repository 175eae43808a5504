import { fill } from '@palanquin/domain/fill-text'
import type { Language } from '@palanquin/domain/language'
import { useKeepsakeTexts } from '../i18n/keepsake/texts.ts'
import { dayColour, GROUND } from './colours.ts'
import { type OwnPhoto, photoAddress, takenMs } from './read-walk.ts'
import type { DayStory } from './story.ts'

/** The days in words, each with its photos: the same as the map, for who does not see it. */
export function Days({ stories, timezone }: { stories: readonly DayStory[]; timezone: string }) {
  const { language, keepsake: texts } = useKeepsakeTexts()
  if (stories.length === 0) return null
  return (
    <>
      <h3>{texts.daysTitle}</h3>
      <ol class="days">
        {stories.map(({ index, title, facts, way, night, photos }) => (
          <li key={index}>
            <h4>
              <DayMark index={index} /> {title}
            </h4>
            <p>{facts.join(' · ')}</p>
            {way !== null && <p>{way}</p>}
            {night !== null && <p>{night}</p>}
            {photos.length > 0 && (
              <div class="day-photos">
                {photos.map((photo) => (
                  <img
                    key={photo.id}
                    src={photoAddress(photo)}
                    alt={photoInWords(photo, { language, timezone, text: texts.photoAlt })}
                    loading="lazy"
                    decoding="async"
                  />
                ))}
              </div>
            )}
          </li>
        ))}
      </ol>
    </>
  )
}

/** When a photo was taken, in words. */
export function photoInWords(
  photo: OwnPhoto,
  { language, timezone, text }: { language: Language; timezone: string; text: string },
): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { ...options, timeZone: timezone }).format(takenMs(photo))
  return fill(text, {
    date: format({ month: 'long', day: 'numeric' }),
    time: format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  })
}

/** The number of a day in its colour. Both schemes are drawn, CSS shows one. */
function DayMark({ index }: { index: number }) {
  return (
    <>
      {(['light', 'dark'] as const).map((scheme) => (
        <svg
          key={scheme}
          class={`day-mark day-mark-${scheme}`}
          viewBox="0 0 24 24"
          aria-hidden="true"
          focusable="false"
        >
          <circle cx="12" cy="12" r="11" fill={dayColour(index, scheme)} />
          <text x="12" y="12.5" fill={GROUND[scheme].number}>
            {index + 1}
          </text>
        </svg>
      ))}
    </>
  )
}

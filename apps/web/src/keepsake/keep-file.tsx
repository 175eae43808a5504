import { fill } from '@palanquin/domain/fill-text'
import { inLanguage } from '@palanquin/domain/language'
import type { Profile } from '@palanquin/domain/participant'
import { useState } from 'preact/hooks'
import { makeCardPatiently } from '../api/card-picture.ts'
import { nowMs } from '../api/server-clock.ts'
import type { Activity } from '../api/types.ts'
import { useKeepsakeTexts } from '../i18n/keepsake/texts.ts'
import { Icon } from '../parts/icon.tsx'
import { saveFile } from '../parts/save-file.ts'
import { photoInWords } from './days.tsx'
import { keepsakeDocument } from './document.ts'
import { sheetOf } from './drawing.ts'
import { cardAsJpegUrl, photoUrls } from './pictures.ts'
import { type DayStory, kmInWords } from './story.ts'
import type { LookedBack } from './use-walk.ts'

/** Its numbers can be read on a phone. */
const SHEET_WIDTH = 420

/** The button that makes the file, in this browser alone. */
export function KeepFile({
  walk,
  stories,
  summary,
  profile,
  activity,
}: {
  walk: LookedBack
  stories: readonly DayStory[]
  summary: string
  profile: Profile
  activity: Activity
}) {
  const { language, keepsake: texts } = useKeepsakeTexts()
  const [state, setState] = useState<'ready' | 'making' | 'failed' | { missing: number }>('ready')
  const { timezone } = activity

  const make = async () => {
    const urls = await photoUrls(walk.photos)
    const made = await makeCardPatiently(profile.userId)
    const card = made.ok ? await cardAsJpegUrl(made.data.picture) : null
    const number = (value: number) => kmInWords(value, language)
    const { level } = profile
    const html = keepsakeDocument({
      lang: language,
      summary,
      days: stories,
      drawn: walk.drawn,
      title: texts.fileTitle,
      eventName: inLanguage(language, activity.name),
      figures: [
        { name: texts.title, value: fill(texts.total, { km: number(profile.distanceKm) }) },
        { name: texts.walked, value: number(profile.walkedKm) },
        { name: texts.carbon, value: number(profile.carbon.avoidedKg) },
        ...(level === null
          ? []
          : [
              {
                name: texts.level,
                value: `${level.icon} ${inLanguage(language, { zh: level.nameZh, en: level.nameEn })}`,
              },
            ]),
      ],
      photos: new Map(
        walk.photos.flatMap((photo) => {
          const src = urls.get(photo.id)
          const caption = photoInWords(photo, { language, timezone, text: texts.photoAlt })
          const place = photo.point && ([photo.point.lng, photo.point.lat] satisfies [number, number])
          return src === undefined ? [] : [[photo.id, { src, caption, place }] as const]
        }),
      ),
      sheet: sheetOf(walk.drawn, walk.outlines, SHEET_WIDTH),
      card: card === null ? null : { src: card, alt: texts.cardAlt },
      words: {
        map: texts.mapLabel,
        legend: texts.legend,
        days: texts.daysTitle,
        credit: texts.mapCredit,
        made: fill(texts.fileMade, {
          date: new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: timezone }).format(nowMs()),
        }),
      },
    })
    saveFile(new Blob([html], { type: 'text/html;charset=utf-8' }), texts.fileName)
    return { missing: walk.photos.length - urls.size }
  }
  const press = () => {
    setState('making')
    make().then(setState, (error: unknown) => {
      console.warn('The file cannot be made', error)
      setState('failed')
    })
  }
  const count = walk.days.length
  return (
    <>
      <h3>{texts.keepTitle}</h3>
      <p>{texts.keepBody}</p>
      <button type="button" class="button button-main" disabled={state === 'making'} onClick={press}>
        <Icon name="heart" />{' '}
        {state === 'making'
          ? texts.keeping
          : count === 1
            ? texts.keepOne
            : fill(texts.keep, { n: texts.count[count - 1] ?? count })}
      </button>
      <p role="status">
        {typeof state !== 'string'
          ? state.missing === 0
            ? texts.kept
            : fill(texts.keptWithout, { n: state.missing })
          : state === 'failed'
            ? texts.keepFailed
            : ''}
      </p>
    </>
  )
}

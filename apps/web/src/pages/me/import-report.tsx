import { fill } from '@palanquin/domain/fill-text'
import type { ImportState } from '../../api/types.ts'
import { countInWords, dateInWords } from '../../i18n/format.ts'
import { useMeTexts } from '../../i18n/me/texts.ts'

/** What became of the points of a file, in words. */
export function ImportReport({ report, timezone }: { report: ImportState; timezone: string }) {
  const { language, me } = useMeTexts()
  const { error, points, stored, duplicates, tooOld, invalid, reasons, from, to, incomplete } = report
  const time = (iso: string) => dateInWords(Date.parse(iso), { language, timezone })
  const lines: [string, number][] = [
    [me.importStored, stored],
    [me.importDuplicates, duplicates],
    [me.importTooOld, tooOld],
    [me.importNoTime, reasons.noTime],
    [me.importInvalid, invalid - reasons.noTime],
  ]
  return (
    <>
      {error !== null && <p class="banner banner-trouble">{fill(me.importFailed, { sentence: error })}</p>}
      {error === null && points === 0 && <p>{me.importEmpty}</p>}
      {points > 0 && (
        <>
          <p>
            {from === null || to === null
              ? fill(me.importPoints, { n: countInWords(points, language) })
              : fill(me.importSpan, { n: countInWords(points, language), from: time(from), to: time(to) })}
          </p>
          <ul>
            {lines
              .filter(([, n]) => n > 0)
              .map(([line, n]) => (
                <li key={line}>{fill(line, { n: countInWords(n, language) })}</li>
              ))}
          </ul>
        </>
      )}
      {incomplete && <p>{me.importIncomplete}</p>}
      {stored > 0 && <p>{me.importFollows}</p>}
      {error === null && stored === 0 && duplicates > 0 && <p>{me.importNothingNew}</p>}
    </>
  )
}

import { fill } from '@palanquin/domain/fill-text'
import type { ImportState } from '../../api/types.ts'
import { counted } from '../../i18n/counted.ts'
import { countInWords, dateInWords } from '../../i18n/format.ts'
import { type MeTexts, useMeTexts } from '../../i18n/me/texts.ts'

const ERRORS = {
  unknown_format: 'importUnknown',
  zip_without_kml: 'importZip',
  damaged: 'importDamaged',
  refused: 'importRefused',
  too_large: 'importTooMuch',
  not_taken: 'importNotTaken',
  send_again: 'importSendAgain',
  spent_today: 'importSpentToday',
} as const satisfies Record<NonNullable<ImportState['errorCode']>, keyof MeTexts>

/** What became of the points of a file, in words. */
export function ImportReport({ report, timezone }: { report: ImportState; timezone: string }) {
  const { language, me } = useMeTexts()
  const { error, errorCode, points, stored, duplicates, tooOld, invalid, reasons, from, to, incomplete } =
    report
  // A report of before there were codes has a sentence alone.
  const sentence = errorCode === null ? error : me[ERRORS[errorCode]]
  const time = (iso: string) => dateInWords(Date.parse(iso), { language, timezone })
  const lines: [readonly string[], number][] = [
    [me.importStored, stored],
    [me.importDuplicates, duplicates],
    [me.importTooOld, tooOld],
    [me.importNoTime, reasons.noTime],
    [me.importInvalid, invalid - reasons.noTime],
  ]
  return (
    <>
      {sentence !== null && <p class="banner banner-trouble">{fill(me.importFailed, { sentence })}</p>}
      {error === null && points === 0 && <p>{me.importEmpty}</p>}
      {points > 0 && (
        <>
          <p>
            {from === null || to === null
              ? counted(points, me.importPoints, { n: countInWords(points, language) })
              : counted(points, me.importSpan, {
                  n: countInWords(points, language),
                  from: time(from),
                  to: time(to),
                })}
          </p>
          <ul>
            {lines
              .filter(([, n]) => n > 0)
              .map(([line, n]) => (
                <li key={line[0]}>{counted(n, line, { n: countInWords(n, language) })}</li>
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

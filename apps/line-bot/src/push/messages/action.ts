import Type from 'typebox'
import { all, type Judge, rule, shaped, variants } from './judge.ts'

/** LINE's reference, "Action objects"; lengths in UTF-16 units. */
const DATA_LENGTH_MAX = 300
const SPOKEN_LENGTH_MAX = 300
const CLIPBOARD_LENGTH_MAX = 1000
const URI_LENGTH_MAX = 1000
/** What every client of LINE shows. */
const LABEL_LENGTH_MAX = 20
const IMAGE_CAROUSEL_LABEL_LENGTH_MAX = 12

const data = Type.String({
  maxLength: DATA_LENGTH_MAX,
  description: `a text of at most ${DATA_LENGTH_MAX} characters`,
})
const spoken = Type.String({ minLength: 1, maxLength: SPOKEN_LENGTH_MAX })
/** Pages, places in LINE and telephone numbers; percent-encoded. */
const ActionUri = Type.String({
  maxLength: URI_LENGTH_MAX,
  pattern: '^(https?://[!-~]+|line:[!-~]+|tel:[!-~]+)$',
  description: 'an http, https, line or tel address of at most 1000 characters',
})

/** Where a button stands decides what it may do and whether it needs a name. */
export type Place = 'template' | 'image-carousel' | 'flex' | 'flex-button' | 'quick-reply'
const NAMED: readonly Place[] = ['template', 'flex-button', 'quick-reply']

/** An action at a place. */
export function actionAt(place: Place): Judge {
  const name = Type.String({
    minLength: 1,
    maxLength: place === 'image-carousel' ? IMAGE_CAROUSEL_LABEL_LENGTH_MAX : LABEL_LENGTH_MAX,
  })
  const label = NAMED.includes(place) ? name : Type.Optional(name)
  const judge = (properties: Parameters<typeof Type.Object>[0]) =>
    shaped(Type.Object({ label, ...properties }))
  const phone = judge({})
  const kinds: Record<string, Judge> = {
    postback: all(
      judge({ data, displayText: Type.Optional(spoken), text: Type.Optional(spoken) }),
      rule(
        ({ displayText, text }) => displayText === undefined || text === undefined,
        'displayText or text, not both',
      ),
    ),
    message: judge({ text: spoken }),
    uri: judge({ uri: ActionUri }),
    datetimepicker: judge({ data, mode: Type.Enum(['date', 'time', 'datetime']) }),
    clipboard: judge({ clipboardText: Type.String({ minLength: 1, maxLength: CLIPBOARD_LENGTH_MAX }) }),
    ...(place === 'quick-reply' ? { camera: phone, cameraRoll: phone, location: phone } : {}),
  }
  return variants(() => kinds)
}

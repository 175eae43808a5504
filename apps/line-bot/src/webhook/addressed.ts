import { commandOf } from '../conversation/vocabulary/commands.ts'
import { isRecord, numberOf, recordOf } from './value.ts'

/** A command behind a stroke, as in `/地圖`, is meant for a bot; and for this one when it knows the word. */
const PREFIX = /^\s*[/／]\s*/

/**
 * What a text in a group says to the bot: the text without the mention of the bot, or behind the stroke; null when it
 * was not addressed. `mention` is the message's own, whatever it is.
 */
export function addressedText(text: string, mention: unknown): string | null {
  const places = ownPlaces(mention)
  if (places.length > 0) {
    let rest = text
    // From the end, so that the places before stay where they are.
    for (const { index, length } of places.toSorted((a, b) => b.index - a.index))
      rest = rest.slice(0, index) + rest.slice(index + length)
    return rest.trim()
  }
  if (!PREFIX.test(text)) return null
  const rest = text.replace(PREFIX, '')
  return commandOf(rest) === null ? null : rest
}

function ownPlaces(mention: unknown): { index: number; length: number }[] {
  const { mentionees } = recordOf(mention)
  if (!Array.isArray(mentionees)) return []
  return mentionees.flatMap((mentionee: unknown) => {
    if (!isRecord(mentionee) || mentionee.isSelf !== true) return []
    const [index, length] = [numberOf(mentionee.index), numberOf(mentionee.length)]
    return index === null || length === null ? [] : [{ index, length }]
  })
}

import { commandOf } from '../conversation/vocabulary/recognise.ts'
import { isRecord, numberOf, recordOf } from './value.ts'

/** A command after a slash, as in `/地圖`, addresses a bot; this one, when it knows the word. */
const PREFIX = /^\s*[/／]\s*/

/**
 * The text that addresses the bot in a group: without the mention of the bot, or without the slash; null when it
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

/**
 * Prints the key of a profile's card, so that a test of the whole stack can check which figures a card shows: JSON
 * `{profile, event}` comes in, the key goes out. Run by path; nothing else of this app leaves it.
 */
import { Profile } from '@palanquin/domain/participant'
import Type from 'typebox'
import Value from 'typebox/value'
import { contentKey } from '../src/cards/key.ts'
import { contentOf } from '../src/cards/render/content.ts'

const Nameable = Type.Object({
  profile: Profile,
  event: Type.Object({
    nameZh: Type.String(),
    nameEn: Type.String(),
    dates: Type.Union([Type.String(), Type.Null()]),
  }),
})

const { profile, event } = Value.Parse(Nameable, await Bun.stdin.json())
console.log(contentKey(contentOf(profile, event)))

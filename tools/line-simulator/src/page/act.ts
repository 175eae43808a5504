import { type Composer, compose } from '../composer.ts'
import type { WebhookEvent } from '../events.ts'
import { isRecord } from '../is-record.ts'
import { tapped } from '../tap.ts'
import { validate } from '../validation/validate.ts'
import type { Sent } from '../webhook-sender.ts'
import type { Stage } from './stage.ts'

const NOTHING: Pick<Sent, 'events' | 'answers'> = { events: [], answers: [] }

/** Something that a person does in the page: the event of it is made and sent. */
export async function act({ platform, sender }: Stage, body: Record<string, unknown>): Promise<object> {
  const { userId, what, events } = body
  if (what === 'verify') return sender.verify()
  if (what === 'again') return isEvents(events) ? sender.redeliver(events) : NOTHING
  if (typeof userId !== 'string') throw new Error('userId: expected the id of a person')
  platform.people.get(userId)
  const event = eventOf(compose(platform, userId), body)
  return event ? sender.send(event) : NOTHING
}

function eventOf(person: Composer, body: Record<string, unknown>): WebhookEvent | undefined {
  switch (body.what) {
    case 'follow':
      return person.follow()
    case 'unfollow':
      return person.unfollow()
    case 'text':
      return person.text(words(body, 'text'))
    case 'sticker':
      return person.sticker()
    case 'location':
      return person.location({
        lat: Number(body.lat),
        lng: Number(body.lng),
        ...(typeof body.title === 'string' ? { title: body.title } : {}),
      })
    case 'image': {
      const bytes = Uint8Array.from(Buffer.from(words(body, 'base64'), 'base64'))
      return person.image({ bytes, contentType: words(body, 'contentType') })
    }
    case 'tap':
      return tap(person, body)
    default:
      throw new Error('what: expected follow, unfollow, text, sticker, location, image, tap, again or verify')
  }
}

function tap(person: Composer, { action, picked }: Record<string, unknown>): WebhookEvent | undefined {
  const validation = validate('Action', action)
  if ('faults' in validation) throw new Error('action: expected what a button of the bot holds')
  return tapped(person, validation.value, typeof picked === 'string' ? picked : undefined)
}

const isEvents = (value: unknown): value is WebhookEvent[] =>
  Array.isArray(value) && value.every((event) => isRecord(event) && typeof event.webhookEventId === 'string')

function words(body: Record<string, unknown>, name: string): string {
  const value = body[name]
  if (typeof value !== 'string') throw new Error(`${name}: expected text`)
  return value
}

import type { AdminLostBody, LostBody } from '@palanquin/domain/lost'
import type { CredentialTags } from '@palanquin/service/credential-tags'
import { ApiError } from '@palanquin/service/http/api-error'
import { editTokenHash, isEditToken, newEditToken } from '../edit-token.ts'
import { readPhone } from '../participants/phone-number.ts'
import type { LostCase, LostStore, NewCase } from './store.ts'
import type { ReportedCase } from './view.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const PNG = '.png'

export const noSuchCase = new ApiError('notFound', 'There is no case of this id.')
const noSuchPhoto = new ApiError('invalid', 'photo: expected a filename that feedback-upload gave')
const wrongToken = new ApiError('unauthorized', 'This needs the edit token of the case in X-Feedback-Token.')

/** Whether untrusted text may be the id of a case. */
export const isCaseId = (text: string): boolean => UUID.test(text)

/** Stores a report, once for an edit token: a client cannot know whether a lost response was a success. */
export async function report(
  { store, tags }: { store: LostStore; tags: CredentialTags },
  { editToken: input, ...body }: LostBody,
): Promise<Omit<ReportedCase, 'notified'> | ApiError> {
  const editToken = newEditToken(tags, input ?? undefined)
  const made = await create(store, body, { editTokenHash: editTokenHash(editToken), by: null, receipt: null })
  return made instanceof ApiError ? made : { id: made.id, status: made.status, editToken }
}

/** Enters a case for somebody who called or came to the organisers. */
export const enter = (
  store: LostStore,
  body: AdminLostBody,
  facts: Pick<NewCase, 'by' | 'receipt'>,
): Promise<LostCase | ApiError> => create(store, body, { editTokenHash: null, ...facts })

async function create(
  store: LostStore,
  { kind, about, phone, place, photo, userId, notes }: AdminLostBody,
  facts: Pick<NewCase, 'editTokenHash' | 'by' | 'receipt'>,
): Promise<LostCase | ApiError> {
  const number = readPhone(phone ?? null)
  if (number instanceof ApiError) return number
  const made = await store.create({
    kind,
    about,
    place: place ?? null,
    userId: userId ?? null,
    notes: notes ?? null,
    phone: number.phone,
    photoNames: photo ? namesOf(photo) : [],
    ...facts,
  })
  return made ?? noSuchPhoto
}

/** The case of an edit token. An unknown id is 404, and a wrong token 401. */
export async function ownCase(
  store: LostStore,
  id: string,
  token: string | null,
): Promise<LostCase | ApiError> {
  const refused = await refusalOf(store, id, token)
  return refused ?? (await store.read(id)) ?? noSuchCase
}

/** Closes the reporter's own case: the missing person is found. Closed already, it stays as it is. */
export async function closeOwn(
  store: LostStore,
  id: string,
  token: string | null,
): Promise<LostCase | ApiError> {
  const refused = await refusalOf(store, id, token)
  return refused ?? (await store.closeOwn(id, editTokenHash(token ?? ''))) ?? noSuchCase
}

async function refusalOf(store: LostStore, id: string, token: string | null): Promise<ApiError | null> {
  if (token === null) return wrongToken
  if (!isCaseId(id)) return noSuchCase
  const hash = await store.hashOf(id)
  if (isEditToken(token, hash)) return null
  return hash === null ? noSuchCase : wrongToken
}

/** Clients name a photo with or without its extension. */
function namesOf(photo: string): string[] {
  const bare = photo.endsWith(PNG) ? photo.slice(0, -PNG.length) : photo
  return [bare, bare + PNG]
}

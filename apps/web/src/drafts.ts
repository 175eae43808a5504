import { withStore } from './store.ts'

/** Drafts that could not be kept: they last as long as this page. */
const unkept = new Map<string, unknown>()

/** A draft under a name; undefined when there is none. */
export async function readDraft<T>(name: string): Promise<T | undefined> {
  // Written by `keepDraft` of the same page alone.
  if (unkept.has(name)) return unkept.get(name) as T | undefined
  try {
    return (await withStore((kept) => kept.get('drafts', name))) as T | undefined
  } catch (error) {
    console.warn('Drafts cannot be read on this phone', error)
    return undefined
  }
}

/** Keeps a draft (undefined forgets it); where the browser keeps nothing, as long as this page is open. */
export async function keepDraft(name: string, draft: unknown): Promise<void> {
  unkept.set(name, draft)
  try {
    await withStore(async (kept) => {
      for (const [each, value] of unkept) {
        await (value === undefined ? kept.delete('drafts', each) : kept.put('drafts', value, each))
        if (unkept.get(each) === value) unkept.delete(each)
      }
    })
  } catch (error) {
    console.warn('Drafts cannot be kept on this phone', error)
  }
}

/** The draft that says who is signed in here. */
export const PERSON = 'person'

/** Keeps a draft if this person is still signed in here, in one transaction. */
export async function keepDraftOf(userId: string, name: string, draft: unknown): Promise<void> {
  try {
    await withStore(async (kept) => {
      const change = kept.transaction('drafts', 'readwrite')
      const present: unknown = await change.store.get(PERSON)
      const isPresent =
        typeof present === 'object' && present !== null && 'userId' in present && present.userId === userId
      if (isPresent) await change.store.put(draft, name)
      await change.done
    })
  } catch (error) {
    console.warn('Drafts cannot be kept on this phone', error)
  }
}

/** Forgets the drafts of a page whose browser kept none; those of the database go with their person. */
export const forgetUnkept = (): void => unkept.clear()

/** The draft that says that a recording is on. */
export const RECORDING = 'recording'

/** The draft that it is kept in. */
export const OWN_TRACK = 'own-track'

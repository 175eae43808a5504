import type { OwnProfile } from '@palanquin/domain/participant'
import { useEffect, useState } from 'preact/hooks'
import { OWN_PATH } from '../api/base.ts'
import { type Resource, useOwnResource } from '../api/resource.ts'
import { keepDraftOf, readDraft } from '../drafts.ts'
import type { Person } from './session.ts'

const EVERY_MS = 30_000
const KEPT = 'profile'
type Kept = { profile: OwnProfile; atMs: number }

/** The profile of the person; without a network the last one that this phone has seen. */
export function useProfile({ userId }: Person): Resource<OwnProfile> {
  const read = useOwnResource<OwnProfile>(OWN_PATH, EVERY_MS)
  // Another page of this phone may have signed in somebody else; this page learns of it soon.
  const present = read.data === null || read.data.userId === userId ? read : { ...read, data: null }
  const [kept, setKept] = useState<Kept | null>(null)
  useEffect(() => {
    let left = false
    void readDraft<Kept>(KEPT).then((last) => {
      if (!left && last?.profile.userId === userId) setKept(last)
    })
    return () => {
      left = true
    }
  }, [userId])
  useEffect(() => {
    if (present.data !== null && present.atMs !== null)
      void keepDraftOf(userId, KEPT, { profile: present.data, atMs: present.atMs })
  }, [present.data, present.atMs])
  if (present.data !== null || kept === null) return present
  return { ...present, data: kept.profile, atMs: kept.atMs }
}
